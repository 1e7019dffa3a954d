import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { ParamsSchema } from '../../../shared/contracts/endpoints/engine-config.ts';
import { paramsFormats } from '../../../shared/domain/endpoint/params-schema.ts';
import { maxMatchedCharacters } from '../../../shared/domain/endpoint/pattern-cost.ts';
import type { FieldProblem } from '../../../shared/contracts/field-problems.ts';
import { describeParamsError } from './describe-params-error.ts';

/** Every part of a schema may be held against every value: more would keep everybody else waiting. */
const maxValues = 2000;

/** Of larger ones only the first problem is reported: each that was found on the way is an object. */
const maxValuesListedWhole = 200;

interface Compiled {
  first: ValidateFunction;
  /** Only made for who has problems. */
  all: () => ValidateFunction;
}

/** Once for each schema that is registered: they go with it. */
const compiled = new WeakMap<ParamsSchema, Compiled>();

/**
 * What is wrong with parameters, by the schema of their action type.
 * @param pointer where the parameters are
 * @throws {Error} where the schema cannot be used, because a newer version let it in
 */
export function paramsProblems(schema: ParamsSchema, params: unknown, pointer: string): FieldProblem[] {
  const values = valuesIn(params);
  if (values > maxValues) {
    const detail = `has to have at most ${maxValues} values, where they are checked, not ${values}`;
    return [{ pointer, code: 'too-large', detail }];
  }
  const { first, all } = compiled.get(schema) ?? compileParamsSchema(schema);
  if (first(params)) return [];
  const validate = values > maxValuesListedWhole ? first : all();
  validate(params);
  return withoutRepeats(validate.errors ?? []).map((error) => describeParamsError(error, pointer));
}

/** @throws {Error} where it is no schema of 2020-12 */
export function compileParamsSchema(schema: ParamsSchema): Compiled {
  let all: ValidateFunction | undefined;
  const made = { first: validatorOf(schema, false), all: () => (all ??= validatorOf(schema, true)) };
  compiled.set(schema, made);
  return made;
}

function validatorOf(schema: ParamsSchema, allErrors: boolean): ValidateFunction {
  // One for each: it would keep every schema for as long as it lives.
  const ajv = new Ajv2020({
    allErrors,
    verbose: true,
    strict: false,
    meta: false,
    validateSchema: false,
    // A field that is missing is not the one that every object inherits, such as `constructor`.
    ownProperties: true,
    logger: false,
    code: { regExp: Object.assign(boundedRegExp, { code: 'boundedRegExp' }) },
  });
  formats.default(ajv, { mode: 'fast', formats: [...paramsFormats] });
  return ajv.compile(schema);
}

/** Bodies are at most 64 levels deep. */
function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + valuesIn(each), 1);
}

/** What a pattern may take was judged for texts of so many characters (shared/domain/endpoint/pattern-cost.ts). */
function boundedRegExp(pattern: string, flags: string) {
  const regExp = new RegExp(pattern, flags);
  return { test: (text: string) => text.length <= maxMatchedCharacters && regExp.test(text) };
}

/** Where none of several forms fits, what each of them lacks is no help: only one of them is meant. */
function withoutRepeats(errors: readonly ErrorObject[]): ErrorObject[] {
  const forms = errors.filter(({ keyword }) =>
    ['anyOf', 'oneOf', 'not', 'if', 'contains', 'propertyNames'].includes(keyword),
  );
  const isInside = ({ schemaPath }: ErrorObject) =>
    forms.some((form) => form.keyword !== 'if' && schemaPath.startsWith(`${form.schemaPath}/`));
  return errors.filter((error) => error.keyword !== 'if' && !isInside(error));
}
