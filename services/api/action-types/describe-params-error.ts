import type { ErrorObject } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { maxMatchedCharacters } from '../../../shared/domain/endpoint/pattern-cost.ts';
import { knownFields, nounOf, oneOf, sized } from '../../../shared/runtime/right-value.ts';
import { didYouMean } from '../frame/did-you-mean.ts';
import { describeMissing, describeUnknownField, describeWrongSize, describeWrong } from '../frame/field-messages.ts';
import { quoted } from '../frame/http-problem.ts';
import type { FieldProblem } from '../../../shared/contracts/field-problems.ts';
import { pointerOf, shortPointer } from '../frame/server/json-pointer.ts';

type Fields = Record<string, unknown>;

export function describeParamsError(error: ErrorObject, pointer: string): FieldProblem {
  const { keyword, data } = error;
  const at = `${pointer}${error.instancePath}`;
  const params = fieldsOf(error.params);
  const missing = params['missingProperty'];
  if (typeof missing === 'string') return missingField(at, missing, error);
  const unknown = params['additionalProperty'] ?? params['unevaluatedProperty'];
  if (typeof unknown === 'string') return unknownField(at, unknown, error);
  const [code, expected] = expectations[keyword] ?? [];
  if (code === undefined || expected === undefined) {
    return {
      pointer: shortPointer(at),
      code: 'invalid-value',
      detail: sentences[keyword]?.(params) ?? `is not accepted (${keyword})`,
    };
  }
  const isSize = code === 'wrong-length';
  const detail = isSize ? describeWrongSize(expected(params), sizeOf(data)) : describeWrong(expected(params), data);
  return { pointer: shortPointer(at), code, detail };
}

function missingField(at: string, name: string, { parentSchema }: ErrorObject): FieldProblem {
  const detail = describeMissing(expectedBySchema(ownField(propertiesOf(parentSchema), name)));
  return { pointer: shortPointer(`${at}${pointerOf([name])}`), code: 'missing', detail };
}

function unknownField(at: string, name: string, { parentSchema }: ErrorObject): FieldProblem {
  const known = Object.keys(propertiesOf(parentSchema));
  const detail = `${describeUnknownField(name, knownFields(known))}${didYouMean(name, known)}`;
  return { pointer: shortPointer(`${at}${pointerOf([name])}`), code: 'unknown-field', detail };
}

const expectations: Readonly<Record<string, [code: string, right: (params: Fields) => string]>> = {
  type: ['wrong-type', ({ type }) => typeNoun(type)],
  const: ['invalid-value', ({ allowedValue }) => quoted(allowedValue)],
  enum: ['invalid-value', ({ allowedValues }) => oneOf(listOf(allowedValues), quoted)],
  pattern: ['invalid-value', ({ pattern }) => `like ${String(pattern)}, in at most ${maxMatchedCharacters} characters`],
  format: ['invalid-value', ({ format }) => nounOf(String(format))],
  minimum: ['out-of-range', ({ limit }) => `at least ${String(limit)}`],
  maximum: ['out-of-range', ({ limit }) => `at most ${String(limit)}`],
  exclusiveMinimum: ['out-of-range', ({ limit }) => `more than ${String(limit)}`],
  exclusiveMaximum: ['out-of-range', ({ limit }) => `less than ${String(limit)}`],
  multipleOf: ['out-of-range', ({ multipleOf }) => `a multiple of ${String(multipleOf)}`],
  minLength: ['wrong-length', ({ limit }) => `at least ${sized('string', Number(limit))}`],
  maxLength: ['wrong-length', ({ limit }) => `at most ${sized('string', Number(limit))}`],
  minItems: ['wrong-length', ({ limit }) => `at least ${sized('array', Number(limit))}`],
  maxItems: ['wrong-length', ({ limit }) => `at most ${sized('array', Number(limit))}`],
  minProperties: ['wrong-length', ({ limit }) => `at least ${sized('object', Number(limit))}`],
  maxProperties: ['wrong-length', ({ limit }) => `at most ${sized('object', Number(limit))}`],
};

/** Error sentences by keyword, for keywords whose error cannot state a valid value. */
const sentences: Readonly<Record<string, (params: Fields) => string>> = {
  uniqueItems: ({ i, j }) => `has to have each item once: ${String(i)} and ${String(j)} are the same`,
  contains: () => 'has too few or too many items of the kind that it has to have',
  propertyNames: ({ propertyName }) => `${quoted(propertyName)} is no name that is accepted here`,
  anyOf: () => 'fits none of the forms that it may have',
  oneOf: ({ passingSchemas }) => `fits ${passingSchemas ? 'more than one' : 'none'} of the forms that it may have`,
};

function expectedBySchema(schema: unknown): string {
  const { type, enum: values, const: value } = fieldsOf(schema);
  if (value !== undefined) return quoted(value);
  if (values !== undefined) return oneOf(listOf(values), quoted);
  return type === undefined ? '' : typeNoun(type);
}

function typeNoun(type: unknown): string {
  return listOf(type).map(String).map(nounOf).join(' or ');
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** Returns the size of a value: for a string the number of characters, as JSON Schema counts them. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Array.from(value).length;
  return Array.isArray(value) ? value.length : Object.keys(fieldsOf(value)).length;
}

/** Returns a field of the object itself. Inherited fields, such as `constructor`, are ignored. */
function ownField(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function propertiesOf(schema: unknown): Fields {
  return fieldsOf(fieldsOf(schema)['properties']);
}

function fieldsOf(value: unknown): Fields {
  return z.record(z.string(), z.unknown()).catch({}).parse(value);
}
