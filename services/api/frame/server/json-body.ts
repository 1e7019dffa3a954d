import { isAscii } from 'node:buffer';
import type { FieldProblem } from '../../../../shared/contracts/field-problems.ts';
import { HttpProblem, invalidRequest } from '../http-problem.ts';
import { pointerOf } from './json-pointer.ts';
import { findInexactNumbers, hasNumbersAtRisk } from './inexact-numbers.ts';
import { mayHoldUnstorable, unstorableTexts } from './unstorable-texts.ts';

/** Maximum depth of nested values. Deeper values would overflow the stack of recursive functions. */
const maxDepth = 64;

const maxProblems = 100;

/** Maximum number of fields of one object. Each further field slows down each access to the object. */
const maxFields = 10_000;
/**
 * Maximum number of characters of a field's name. Names must be short, because each problem repeats the names on the
 * path to its value.
 */
const maxNameLength = 1000;
/**
 * Number of bytes of a body for which one JSON value is allowed. In real bodies, a value takes ten bytes or more on
 * average.
 */
const bytesPerValue = 10;
/** Number of values that any body may have, even a short one. A body of 64 KiB cannot have more values. */
const valuesOfShortBody = 65_536;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a JSON body. An empty body is `undefined`, because a POST without a body may have `content-type:
 * application/json`.
 * @throws {HttpProblem} 400 if the body is not JSON in UTF-8, 422 if it exceeds a limit or contains a number that
 * parsing would change
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

/** Decodes a text and throws on invalid bytes. A lenient decoder would store another text than the sender's. */
function decode(bytes: Buffer): string {
  // Nearly all bodies are ASCII. For them, this decoder takes a quarter of the time.
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
    const detail = `the body is not JSON: ${error instanceof Error ? error.message : String(error)}`;
    throw new HttpProblem({ status: 400, code: 'malformed-json', detail });
  }
}

function isBlank(text: string): boolean {
  return !text.startsWith('{') && text.trim() === '';
}

/** Reason why a value is refused. `path` leads to the value, with its last element first. */
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
// A field of this name is refused, because copying it by assignment would set the prototype of the copy.
const reservedName = { code: 'reserved-name', detail: '"__proto__" is not accepted as a name' };

/** Number of further values that a body may have. */
interface ValueCount {
  left: number;
  most: number;
}

/** Returns the first refused value in the order of the text. The depth of the search is bounded. */
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
