import { describe, expect, it } from 'vitest';
import { HttpProblem } from './http-problem.ts';
import { parseJsonBody } from './json-body.ts';

function refusalOf(text: string) {
  try {
    parseJsonBody(text);
  } catch (error) {
    if (error instanceof HttpProblem)
      return { status: error.status, pointers: error.errors.map(({ pointer }) => pointer) };
  }
  return undefined;
}

describe('a JSON body', () => {
  it('is the value that was sent, and none where nothing was', () => {
    expect(parseJsonBody('{"a":[1,null,"x"]}')).toEqual({ a: [1, null, 'x'] });
    expect(parseJsonBody(' \n')).toBeUndefined();
  });

  it('is refused when it is no JSON', () => {
    expect(refusalOf('{"a":')).toEqual({ status: 400, pointers: [] });
  });

  it('is refused where it would change what objects are', () => {
    expect(refusalOf('{"a/b":[{"__proto__":{"admin":true}}]}')).toEqual({
      status: 422,
      pointers: ['/a~1b/0/__proto__'],
    });
  });

  it('is refused when it is nested so deep that reading it would end the process', () => {
    expect(refusalOf(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`)?.pointers).toEqual(['/a'.repeat(64)]);
    expect(refusalOf(`${'['.repeat(64)}${']'.repeat(64)}`)).toBeUndefined();
  });
});
