import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { z } from 'zod';
import { isFields, type JsonValue } from './json.ts';
import type { OpenApiDocument, Operation, Parameter } from './operations.ts';

/** A request as sent, with real ids. */
export interface SentRequest {
  path: Readonly<Record<string, string>>;
  query: readonly (readonly [name: string, value: string])[];
  headers: Readonly<Record<string, string>>;
  /** Media type of the body. */
  type: string;
  /** Text of the body; undefined if no body was sent. */
  body: string | undefined;
}

export interface RequestFit {
  /** Returns whether the document allows a request. */
  allows(operation: Operation, request: SentRequest): boolean;
  /** Returns whether a value fits a schema, in which ids may still be placeholders such as `@run:0`. */
  fitsSchema(schema: JsonValue, value: JsonValue): boolean;
}

/** Judges requests by a document. The length of a text is its number of UTF-16 units, as the document says. */
export function createRequestFit(document: OpenApiDocument): RequestFit {
  const validators = new Map<string, (value: unknown) => boolean>();
  const ajv = (coerceTypes: boolean) => {
    // oxlint-disable-next-line typescript/no-deprecated -- the only option under which lengths count UTF-16 units
    const made = new Ajv2020({ strict: false, logger: false, coerceTypes, unicode: false });
    formats.default(made);
    return made;
  };
  const [exact, coercing] = [ajv(false), ajv(true)];
  const { components } = document;

  function validatorOf(schema: JsonValue, isText: boolean): (value: unknown) => boolean {
    const key = `${String(isText)} ${JSON.stringify(schema)}`;
    const known = validators.get(key);
    if (known) return known;
    // A text in a query or path may have to be a number. The value is wrapped in an object, where it can be replaced.
    const root = { components, type: 'object', properties: { value: schema } };
    const validate = (isText ? coercing : exact).compile(root);
    const judge = (value: unknown) => validate({ value });
    validators.set(key, judge);
    return judge;
  }

  function textsFit(declared: readonly Parameter[], texts: readonly (readonly [string, string])[]): boolean {
    const given = new Map(texts);
    if (given.size !== texts.length) return false;
    return declared.every(({ name, required, schema }) => {
      const text = given.get(name);
      return text === undefined ? !required : validatorOf(schema, true)(text);
    });
  }

  return {
    allows: ({ parameters, requestBody }, { path, query, headers, type, body }) => {
      const of = (place: Parameter['in']) => parameters.filter((each) => each.in === place);
      const names = of('query').map(({ name }) => name);
      if (!query.every(([name]) => names.includes(name))) return false;
      const isFit = [
        textsFit(of('path'), Object.entries(path)),
        textsFit(of('query'), query),
        textsFit(of('header'), Object.entries(headers)),
      ];
      if (isFit.includes(false)) return false;
      if (requestBody === undefined || body === undefined) return (requestBody === undefined) === (body === undefined);
      const schema = requestBody.content[type]?.schema;
      if (schema === undefined || type !== 'application/json') return schema !== undefined;
      return isJson(body) && validatorOf(schema, false)(JSON.parse(body));
    },
    fitsSchema: (schema, value) => validatorOf(schema, false)(withIds(value)),
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Replaces placeholders by ids that fit all patterns. */
function withIds(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.replace(/^@([a-z]{3}):\d+$/, '$1_01h455vb4pex5vsknk084sn02q');
  if (Array.isArray(value)) return value.map(withIds);
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withIds(inner)]));
}

const refusal = z.object({
  code: z.string(),
  detail: z.string(),
  errors: z.array(z.object({ pointer: z.string(), code: z.string(), detail: z.string() })),
});

/** Returns the errors of a 422 that neither a schema nor the description of the operation explains. */
export function undeclaredRefusals(operation: Operation, body: string): string[] {
  const { code, detail, errors } = refusal.parse(JSON.parse(body));
  const all = errors.length > 0 ? errors : [{ pointer: '', code, detail }];
  const undeclared = all.filter((error) => !Object.hasOwn(operation['x-refusals'], error.code));
  return undeclared.map((error) => `${error.pointer} ${error.code}: ${error.detail}`);
}
