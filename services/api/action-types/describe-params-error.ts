import type { ErrorObject } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { maxMatchedCharacters } from '../../../shared/domain/endpoint/pattern-cost.ts';
import type { FieldProblem } from '../frame/problems.contract.ts';
import { didYouMean } from '../frame/did-you-mean.ts';
import { quoted } from '../frame/http-problem.ts';
import { pointerOf } from '../frame/server/json-pointer.ts';

const nouns: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

/** In the words of all other problems: the value, and what would be right. */
export function describeParamsError(error: ErrorObject, pointer: string): FieldProblem {
  const { keyword, data } = error;
  const at = `${pointer}${error.instancePath}`;
  const params = fieldsOf(error.params);
  const problem = (code: string, detail: string, where = at): FieldProblem => ({ pointer: where, code, detail });
  const wrong = (code: string, right: string) => problem(code, `has to ${right}, not ${quoted(data)}`);
  switch (keyword) {
    case 'required':
    case 'dependentRequired': {
      const name = String(params['missingProperty']);
      const detail = `is missing${rightOf(fieldsOf(fieldsOf(error.parentSchema)['properties'])[name])}`;
      return problem('missing', detail, `${at}${pointerOf([name])}`);
    }
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const name = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
      const known = Object.keys(fieldsOf(fieldsOf(error.parentSchema)['properties']));
      const detail = `${quoted(name)} is not accepted here; ${known.length === 0 ? 'nothing is' : `known are ${known.join(', ')}`}${didYouMean(name, known)}`;
      return problem('unknown-field', detail, `${at}${pointerOf([name])}`);
    }
    case 'type':
      return wrong('wrong-type', `be ${nounOf(params['type'])}`);
    case 'const':
      return wrong('invalid-value', `be ${quoted(params['allowedValue'])}`);
    case 'enum':
      return wrong('invalid-value', `be ${listOf(params['allowedValues'])}`);
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return wrong('out-of-range', `be ${bounds[keyword]} ${String(params['limit'])}`);
    case 'multipleOf':
      return wrong('out-of-range', `be a multiple of ${String(params['multipleOf'])}`);
    case 'minLength':
    case 'maxLength':
    case 'minItems':
    case 'maxItems':
    case 'minProperties':
    case 'maxProperties': {
      const bound = keyword.startsWith('min') ? 'at least' : 'at most';
      const what = keyword.endsWith('Length') ? 'character' : keyword.endsWith('Items') ? 'item' : 'field';
      return problem(
        'wrong-length',
        `has to have ${bound} ${counted(Number(params['limit']), what)}, not ${sizeOf(data)}`,
      );
    }
    case 'pattern':
      return wrong(
        'invalid-value',
        `look like ${String(params['pattern'])}, in at most ${maxMatchedCharacters} characters`,
      );
    case 'format':
      return wrong('invalid-value', `be ${formatText(String(params['format']))}`);
    case 'uniqueItems':
      return problem(
        'invalid-value',
        `has to have each item once: ${String(params['i'])} and ${String(params['j'])} are the same`,
      );
    case 'contains':
      return problem('invalid-value', 'has too few or too many items of the kind that it has to have');
    case 'propertyNames':
      return problem('invalid-value', `${quoted(params['propertyName'])} is no name that is accepted here`);
    case 'anyOf':
    case 'oneOf':
      return problem(
        'invalid-value',
        `fits ${params['passingSchemas'] ? 'more than one' : 'none'} of the forms that it may have`,
      );
    default:
      return problem('invalid-value', `is not accepted (${keyword})`);
  }
}

const bounds = {
  minimum: 'at least',
  maximum: 'at most',
  exclusiveMinimum: 'more than',
  exclusiveMaximum: 'less than',
} as const;

const formatTexts: Readonly<Record<string, string>> = {
  'date-time': 'a time such as 2026-12-01T09:00:00Z',
  date: 'a date such as 2026-12-01',
  time: 'a time such as 09:00:00Z',
  duration: 'a duration such as P3D',
  email: 'an e-mail address',
  uri: 'a URI',
  uuid: 'a UUID',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
};

function formatText(format: string): string {
  return formatTexts[format] ?? format;
}

/** `: has to be a whole number`, as far as the schema says. */
function rightOf(schema: unknown): string {
  const { type, enum: values, const: value } = fieldsOf(schema);
  if (value !== undefined) return `: has to be ${quoted(value)}`;
  if (Array.isArray(values)) return `: has to be ${listOf(values)}`;
  return type === undefined ? '' : `: has to be ${nounOf(type)}`;
}

function nounOf(type: unknown): string {
  const named = Array.isArray(type) ? type.map(String) : [String(type)];
  return named.map((each) => nouns[each] ?? each).join(' or ');
}

const listed = 10;

function listOf(values: unknown): string {
  if (!Array.isArray(values)) return quoted(values);
  const more = values.length > listed ? ` or one of ${values.length - listed} more` : '';
  return `${values.slice(0, listed).map(quoted).join(' or ')}${more}`;
}

function counted(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}

function sizeOf(value: unknown): string {
  if (typeof value === 'string') return String(Array.from(value).length);
  return String(Array.isArray(value) ? value.length : Object.keys(fieldsOf(value)).length);
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).catch({}).parse(value);
}
