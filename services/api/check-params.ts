import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { ParamsSchema } from '../../shared/contracts/engine-config.ts';
import { paramsFormats } from '../../shared/domain/params-schema.ts';
import { maxMatchedCharacters } from '../../shared/domain/pattern-cost.ts';
import type { FieldProblem } from './contracts/problems.ts';
import { describeParamsError } from './describe-params-error.ts';

/** Compiled once for each schema that is registered: they go with it. */
const compiled = new WeakMap<ParamsSchema, ValidateFunction>();

/**
 * What is wrong with parameters, by the schema of their action type.
 * @param pointer where the parameters are
 * @throws {Error} where the schema cannot be used, because a newer version let it in
 */
export function paramsProblems(schema: ParamsSchema, params: unknown, pointer: string): FieldProblem[] {
  const validate = compiled.get(schema) ?? compileParamsSchema(schema);
  compiled.set(schema, validate);
  if (validate(params)) return [];
  return withoutRepeats(validate.errors ?? []).map((error) => describeParamsError(error, pointer));
}

/** @throws {Error} where it is no schema of 2020-12 */
export function compileParamsSchema(schema: ParamsSchema): ValidateFunction {
  // One for each: it would keep every schema for as long as it lives.
  const ajv = new Ajv2020({
    ...{ allErrors: true, verbose: true, strict: false, meta: false, validateSchema: false, logger: false },
    code: { regExp: Object.assign(boundedRegExp, { code: 'boundedRegExp' }) },
  });
  formats.default(ajv, { mode: 'fast', formats: [...paramsFormats] });
  return ajv.compile(schema);
}

/** What a pattern may take was judged for texts of so many characters (shared/domain/pattern-cost.ts). */
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
