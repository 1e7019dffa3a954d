import type { FieldProblem } from '../contracts/problems.ts';
import { HttpProblem, invalidRequest } from './http-problem.ts';
import { pointerOf } from './json-pointer.ts';

/** Deeper values would overflow the stack of whatever walks them next. */
const maxDepth = 64;

/**
 * The value of a JSON body; an empty one is `undefined`, so that a POST without a body may say `content-type: application/json`.
 * @throws {HttpProblem} 400 when it is no JSON, 422 when it holds what nothing behind this line should have to expect
 */
export function parseJsonBody(text: string): unknown {
  if (text.trim() === '') return undefined;
  const value = parse(text);
  const refused = findRefused(value);
  if (refused) throw invalidRequest([refused]);
  return value;
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

interface Place {
  value: unknown;
  path: readonly string[];
}

/** Walks with a list of its own instead of the stack, which is what it protects. */
function findRefused(value: unknown): FieldProblem | undefined {
  const places: Place[] = [{ value, path: [] }];
  for (let place = places.pop(); place; place = places.pop()) {
    if (typeof place.value !== 'object' || place.value === null) continue;
    if (place.path.length === maxDepth) {
      return { pointer: pointerOf(place.path), code: 'too-deep', detail: `is nested deeper than ${maxDepth} levels` };
    }
    for (const [key, inner] of Object.entries(place.value)) {
      const path = [...place.path, key];
      // Objects that are copied from this one by assignment would get another prototype.
      if (key === '__proto__') {
        return { pointer: pointerOf(path), code: 'unknown-field', detail: '"__proto__" is not accepted as a name' };
      }
      places.push({ value: inner, path });
    }
  }
  return undefined;
}
