import { isAscii } from 'node:buffer';
import type { FieldProblem } from '../../../../shared/contracts/field-problems.ts';
import { HttpProblem, invalidRequest } from '../http-problem.ts';
import { pointerOf } from './json-pointer.ts';
import { hasNumbersAtRisk, parseMarkingInexact, InexactNumber } from './inexact-numbers.ts';

/** Deeper values would overflow the stack of whatever walks them next. */
const maxDepth = 64;

/** As many as are listed anyway. */
const maxProblems = 100;

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
  if (!isPlain(value, 0)) refuse(findRefused(value));
  // After the depth is known: this parser walks with the stack.
  if (hasNumbersAtRisk(text)) refuse(findRefused(parseMarkingInexact(text)));
  return value;
}

function refuse(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalidRequest(problems);
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

/** Whether nothing in a value has to be refused. It walks with the stack, no deeper than values may be. */
function isPlain(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= maxDepth || value instanceof InexactNumber) return false;
  if (Array.isArray(value)) return value.every((inner) => isPlain(inner, depth + 1));
  if (!isFields(value)) return false;
  for (const key in value) if (key === '__proto__' || !isPlain(value[key], depth + 1)) return false;
  return true;
}

function isFields(value: object): value is Record<string, unknown> {
  return !Array.isArray(value);
}

/**
 * A list or an object in a body. Paths are only written out for what is refused: a body may hold half a million values.
 */
interface Place {
  value: object;
  depth: number;
  key: string;
  parent: Place | undefined;
}

/** Walks with a list of its own instead of the stack, which is what it protects. */
function findRefused(body: unknown): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const places: Place[] = [];
  const visit = (value: unknown, key: string, parent: Place | undefined) => {
    if (typeof value !== 'object' || value === null) return;
    if (!(value instanceof InexactNumber)) places.push({ value, key, parent, depth: (parent?.depth ?? -1) + 1 });
    else if (problems.length < maxProblems) problems.push({ pointer: pointerTo(key, parent), ...value.problem() });
  };
  visit(body, '', undefined);
  // Grows while it is walked.
  for (const place of places) {
    if (place.depth === maxDepth) {
      const pointer = pointerTo(place.key, place.parent);
      return [{ pointer, code: 'too-deep', detail: `is nested deeper than ${maxDepth} levels` }];
    }
    // Objects that are copied from this one by assignment would get another prototype.
    if (Object.hasOwn(place.value, '__proto__')) {
      const pointer = pointerTo('__proto__', place);
      return [{ pointer, code: 'unknown-field', detail: '"__proto__" is not accepted as a name' }];
    }
    for (const [key, inner] of Object.entries(place.value)) visit(inner, key, place);
  }
  return problems;
}

function pointerTo(key: string, parent: Place | undefined): string {
  const path: string[] = parent ? [key] : [];
  for (let place = parent; place?.parent; place = place.parent) path.unshift(place.key);
  return pointerOf(path);
}
