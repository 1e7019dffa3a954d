import { isAscii } from 'node:buffer';
import type { FieldProblem } from '../../../../shared/contracts/field-problems.ts';
import { HttpProblem, invalidRequest } from '../http-problem.ts';
import { pointerOf } from './json-pointer.ts';
import { findInexactNumbers, hasNumbersAtRisk } from './inexact-numbers.ts';
import { mayHoldUnstorable, unstorableTexts } from './unstorable-texts.ts';

/** Deeper values would overflow the stack of whatever walks them next. */
const maxDepth = 64;

/** As many as are listed anyway. */
const maxProblems = 100;

/** Upper bound on the fields of one object: each further field makes every access to the object slower. */
const maxFields = 10_000;
/** Characters of the name of a field. Answers name fields, each of many values below them again. */
const maxNameLength = 1000;
/** Bytes of a body for each value that it may have: values of real bodies have ten bytes or more on average. */
const bytesPerValue = 10;
/** Values that any body may have, even a short one. A body of 64 KiB cannot have more. */
const valuesOfShortBody = 65_536;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The value of a JSON body; an empty one is `undefined`, so that a POST without a body may say `content-type:
 * application/json`.
 * @throws {HttpProblem} 400 when it is no JSON in UTF-8, 422 when it holds what nothing behind this line should have to
 *   expect, or a number that would not be the same number any more
 */
export function parseJsonBody(bytes: Buffer): unknown {
  const text = decode(bytes);
  if (isBlank(text)) return undefined;
  const value = parse(text);
  const maxValues = Math.max(valuesOfShortBody, Math.floor(text.length / bytesPerValue));
  const refused = findRefused(value, 0, { left: maxValues, most: maxValues });
  if (refused) refuse([problemAt({ ...refused, path: refused.path.toReversed() })]);
  if (mayHoldUnstorable(text)) refuse(unstorableTexts(value));
  if (hasNumbersAtRisk(text)) refuse(findInexactNumbers(text, maxProblems).map(problemAt));
  return value;
}

function refuse(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalidRequest(problems);
}

function problemAt({ path, code, detail }: Refused): FieldProblem {
  return { pointer: pointerOf(path), code, detail };
}

/** Decoding that forgives would store another text than the one that was meant. */
function decode(bytes: Buffer): string {
  // A quarter of the time, and nearly always.
  if (isAscii(bytes)) return bytes.toString('latin1');
  try {
    return utf8.decode(bytes);
  } catch {
    throw new HttpProblem({ status: 400, code: 'malformed-json', detail: 'the body is not encoded in UTF-8' });
  }
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (error) {
    const detail = `the body is no JSON: ${error instanceof Error ? error.message : String(error)}`;
    throw new HttpProblem({ status: 400, code: 'malformed-json', detail });
  }
}

function isBlank(text: string): boolean {
  return !text.startsWith('{') && text.trim() === '';
}

/** The reason why a value is refused. The path begins with its last element. */
interface Refused {
  path: string[];
  code: string;
  detail: string;
}

const tooDeep = { code: 'too-deep', detail: `is nested deeper than ${maxDepth} levels` };
const tooManyFields = { code: 'too-many-fields', detail: `has more than ${maxFields} fields` };
const tooLongName = {
  code: 'too-long-name',
  detail: `has a field whose name has more than ${maxNameLength} characters`,
};
// Objects that are copied from this one by assignment would get another prototype.
const reservedName = { code: 'reserved-name', detail: '"__proto__" is not accepted as a name' };

/** Counter of the values that a body may still have. */
interface ValueCount {
  left: number;
  most: number;
}

/** Returns the first place, in the order of the text, that is refused. It walks no deeper than values may be. */
function findRefused(value: unknown, depth: number, values: ValueCount): Refused | undefined {
  if (--values.left < 0)
    return { path: [], code: 'too-many-values', detail: `is beyond the first ${values.most} values` };
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= maxDepth) return { path: [], ...tooDeep };
  if (Array.isArray(value)) return findInList(value, depth, values);
  return isFields(value) ? findInFields(value, depth, values) : undefined;
}

function findInList(list: readonly unknown[], depth: number, values: ValueCount): Refused | undefined {
  for (let place = 0; place < list.length; place++) {
    const found = findRefused(list[place], depth + 1, values);
    if (found) return { ...found, path: [...found.path, String(place)] };
  }
  return undefined;
}

function findInFields(fields: Record<string, unknown>, depth: number, values: ValueCount): Refused | undefined {
  let count = 0;
  for (const name in fields) {
    if (++count > maxFields) return { path: [], ...tooManyFields };
    if (name.length > maxNameLength) return { path: [], ...tooLongName };
    if (name === '__proto__') return { path: [name], ...reservedName };
    const found = findRefused(fields[name], depth + 1, values);
    if (found) return { ...found, path: [...found.path, name] };
  }
  return undefined;
}

function isFields(value: object): value is Record<string, unknown> {
  return !Array.isArray(value);
}
