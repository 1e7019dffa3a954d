import { fc } from '../properties.ts';
import { isFields, type JsonValue } from './json.ts';
import { fileOf } from './file-arbitraries.ts';
import { oddBodies, oddStrings, oddValues } from './odd-values.ts';
import type { RequestFit } from './request-fit.ts';
import type { OpenApiDocument, Operation, Parameter } from './operations.ts';
import { fewOrMany, fitting, type KnownWords } from './schema-arbitraries.ts';

/** A request whose ids are still placeholders: `@run:3` means the third run in earlier answers. */
export interface FuzzRequest {
  path: Record<string, string>;
  query: [name: string, value: string][];
  headers: Record<string, string>;
  /** Media type of the body. */
  type: string;
  /** Text of the body; undefined if no body is sent. */
  body: string | undefined;
  /** True if no part of the request was changed. */
  isFitting: boolean;
}

type Change = { kind: 'replace'; by: JsonValue } | { kind: 'remove' } | { kind: 'add'; by: JsonValue };

/** Usual values of fields. A field may have other values in a path than elsewhere. */
export interface RequestWords {
  inPaths: KnownWords;
  elsewhere: KnownWords;
}

/** Generates requests for an operation: half of them fit its schemas, the others are changed in one to three places. */
export function requestsFor(
  operation: Operation,
  document: OpenApiDocument,
  { inPaths, elsewhere: words }: RequestWords,
  fit: RequestFit,
): fc.Arbitrary<FuzzRequest> {
  const schemas = document.components.schemas;
  const terms = { schemas, words };
  const of = (place: Parameter['in']) => operation.parameters.filter((each) => each.in === place);
  const goodText = (each: Parameter) => fitting(each.schema, terms, each.name).map(asText);
  const query = fewOrMany(
    Object.fromEntries(of('query').map((each) => [each.name, goodText(each)])),
    of('query').flatMap(({ required, name }) => (required ? [name] : [])),
  );
  const contents = operation.requestBody?.content ?? {};
  const schema = contents[json]?.schema;
  const body =
    schema === undefined
      ? fc.constant(undefined)
      : fitting(schema, terms).filter((value) => fit.fitsSchema(schema, value));
  const ofJson = body.map((value) => ({ type: json, body: value === undefined ? undefined : JSON.stringify(value) }));
  const files = Object.keys(contents).flatMap((type) =>
    type === json ? [] : [fileOf(type).map((text) => ({ type, body: text }))],
  );
  const sent = schema === undefined && files.length > 0 ? fc.oneof(...files) : fc.oneof(ofJson, ...files);
  const good = fc.record({
    path: fc.record(
      Object.fromEntries(
        of('path').map((each) => [
          each.name,
          partsOfPath(each, fitting(each.schema, { schemas, words: inPaths }, each.name).map(asText)),
        ]),
      ),
    ),
    query: query.map((fields) => Object.entries(fields)),
    headers: headersFor(of('header')),
    sent,
    isFitting: fc.constant(true),
  });
  const whole = good.map(({ sent: content, ...rest }): FuzzRequest => ({ ...rest, ...content }));
  return fc.oneof(
    { arbitrary: whole, weight: 1 },
    {
      arbitrary: fc.tuple(whole, body, bends(operation)).map(([request, value, bend]) => bend(request, value)),
      weight: 1,
    },
  );
}

const json = 'application/json';

/**
 * Generates a part of a path: a placeholder for an id of the kind that the description names, a usual value, or an odd
 * text.
 */
function partsOfPath({ description, name }: Parameter, good: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const [, kind] = /^([a-z]{3})_/.exec(description) ?? [];
  const usual = kind === undefined ? good : fc.constantFrom(0, 0, 0, 0, 1, 1, 2, 5).map((index) => `@${kind}:${index}`);
  const odd = fc.constantFrom(...oddStrings, name).filter((text) => !['', ' '].includes(text) && text.length < 1000);
  return fc
    .oneof({ arbitrary: usual, weight: 5 }, { arbitrary: odd, weight: 1 })
    .filter((text) => !['', '.', '..'].includes(text));
}

function headersFor(parameters: readonly Parameter[]): fc.Arbitrary<Record<string, string>> {
  const values = fc.constantFrom(
    '*',
    '"1"',
    'W/"2"',
    'k'.repeat(40),
    'x'.repeat(300),
    'a key',
    'é',
    '"',
    ',',
    '__proto__',
    'constructor',
  );
  return fewOrMany(Object.fromEntries(parameters.map(({ name }) => [name, values])), []);
}

type Bend = (request: FuzzRequest, body: JsonValue | undefined) => FuzzRequest;

function bends({ parameters, requestBody }: Operation): fc.Arbitrary<Bend> {
  const changes = fc.array(fc.tuple(fc.nat(), someChange), { minLength: 1, maxLength: 3 });
  const inBody = changes.map((list): Bend => (request, value) => ({
    ...request,
    type: json,
    body: JSON.stringify(
      list.reduce<JsonValue>((changed, [at, change]) => changedAt(changed, at, change), value ?? {}),
    ),
    isFitting: false,
  }));
  const wholeBody = fc.constantFrom(undefined, ...oddBodies).map((body): Bend => (request) => ({
    ...request,
    type: json,
    body,
    isFitting: false,
  }));
  const names = parameters.filter((each) => each.in === 'query').map(({ name }) => name);
  const inQuery = fc
    .tuple(fc.constantFrom(...names, 'unknown', '__proto__'), fc.constantFrom(...oddStrings))
    .map(([name, value]): Bend => (request) => ({
      ...request,
      query: [...request.query, [name, value.slice(0, 8000)]],
      isFitting: false,
    }));
  return requestBody === undefined
    ? fc.oneof({ arbitrary: inQuery, weight: 5 }, wholeBody)
    : fc.oneof({ arbitrary: inBody, weight: 5 }, wholeBody, inQuery);
}

const oddValue = fc.nat(oddValues.length - 1).map((index) => oddValues[index] ?? null);

const someChange: fc.Arbitrary<Change> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('replace'), by: oddValue }), weight: 4 },
  fc.record({ kind: fc.constant('remove') }),
  fc.record({ kind: fc.constant('add'), by: oddValue }),
);

/** Returns a copy that is changed in one place, counted in the order of all values within. */
export function changedAt(value: JsonValue, at: number, change: Change): JsonValue {
  const copy = structuredClone(value);
  const places = placesIn(copy);
  const place = places[at % places.length];
  if (place === undefined) return change.kind === 'remove' ? null : change.by;
  const { holder, name } = place;
  if (change.kind === 'replace') holder[name] = change.by;
  else if (change.kind === 'add') holder['unasked'] = change.by;
  else Reflect.deleteProperty(holder, name);
  return copy;
}

interface Place {
  holder: Record<string, JsonValue>;
  name: string;
}

/** Counts the places of a value that can be changed. */
export function countPlaces(value: JsonValue): number {
  return placesIn(value).length;
}

function placesIn(value: JsonValue): Place[] {
  const inner = isFields(value) ? [value] : Array.isArray(value) ? value.filter(isFields) : [];
  return inner.flatMap((holder) =>
    Object.entries(holder).flatMap(([name, below]) => [{ holder, name }, ...placesIn(below)]),
  );
}

const asText = (value: JsonValue) => (typeof value === 'string' ? value : JSON.stringify(value));
