import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { ParamsSchema } from '../../../shared/contracts/endpoints/action-type-config.ts';
import { paramsFormats } from '../../../shared/domain/endpoint/params-schema.ts';
import { maxMatchedCharacters } from '../../../shared/domain/endpoint/pattern-cost.ts';
import type { FieldProblem } from '../../../shared/contracts/field-problems.ts';
import { describeParamsError } from './describe-params-error.ts';

/**
 * Maximum number of values that a check accepts. Each part of a schema may apply to each value, so a check of more
 * values would block other requests for too long.
 */
const maxValues = 2000;

/**
 * Largest number of values for which all problems are listed. For larger inputs, only the first problem is reported,
 * because each problem is an object in memory.
 */
const maxValuesListedWhole = 200;

interface Compiled {
  first: ValidateFunction;
  /** Returns the validator that lists all problems. The validator is compiled only when parameters have problems. */
  all: () => ValidateFunction;
}

/** Validators by registered schema. A validator is released together with its schema. */
const compiled = new WeakMap<ParamsSchema, Compiled>();

/**
 * Checks parameters by the schema of their action type, and returns the problems.
 * @param pointer JSON pointer of the parameters
 * @throws {Error} if a newer version of Muster accepted the schema and this version cannot use it
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

/**
 * Compiles a schema of parameters.
 * @throws {Error} if the schema is not valid JSON Schema 2020-12
 */
export function compileParamsSchema(schema: ParamsSchema): Compiled {
  let all: ValidateFunction | undefined;
  const made = { first: validatorOf(schema, false), all: () => (all ??= validatorOf(schema, true)) };
  compiled.set(schema, made);
  return made;
}

function validatorOf(schema: ParamsSchema, allErrors: boolean): ValidateFunction {
  // Each schema has its own instance: a shared instance would keep all schemas in memory as long as it lives.
  const ajv = new Ajv2020({
    allErrors,
    verbose: true,
    strict: false,
    meta: false,
    validateSchema: false,
    // Inherited properties, such as `constructor`, do not count as present fields.
    ownProperties: true,
    logger: false,
    code: { regExp: Object.assign(boundedRegExp, { code: 'boundedRegExp' }) },
  });
  formats.default(ajv, { mode: 'fast', formats: [...paramsFormats] });
  return ajv.compile(schema);
}

/**
 * Returns the number of values in a value, including nested ones. The recursion is safe, because bodies are at most 64
 * levels deep.
 */
function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + valuesIn(each), 1);
}

/**
 * Returns a RegExp that refuses texts longer than the length up to which the cost of the pattern was checked
 * (shared/domain/endpoint/pattern-cost.ts).
 */
function boundedRegExp(pattern: string, flags: string) {
  const regExp = new RegExp(pattern, flags);
  return { test: (text: string) => text.length <= maxMatchedCharacters && regExp.test(text) };
}

/**
 * Drops the problems of each alternative in a combination such as `anyOf`, and keeps the problem of the combination
 * itself. The parameters are meant for only one alternative, so most problems of the others do not apply.
 */
function withoutRepeats(errors: readonly ErrorObject[]): ErrorObject[] {
  const forms = errors.filter(({ keyword }) =>
    ['anyOf', 'oneOf', 'not', 'if', 'contains', 'propertyNames'].includes(keyword),
  );
  const isInside = ({ schemaPath }: ErrorObject) =>
    forms.some((form) => form.keyword !== 'if' && schemaPath.startsWith(`${form.schemaPath}/`));
  return errors.filter((error) => error.keyword !== 'if' && !isInside(error));
}
