import { describe, expect, it } from 'vitest';
import { HttpProblem } from '../http-problem.ts';
import { parseJsonBody } from './json-body.ts';

function refusalOf(text: string) {
  try {
    parseJsonBody(Buffer.from(text));
  } catch (error) {
    if (error instanceof HttpProblem)
      return { status: error.status, pointers: error.errors.map(({ pointer }) => pointer) };
  }
  return undefined;
}

describe('a JSON body', () => {
  it('is parsed to the value that was sent, and to undefined if empty', () => {
    expect(parseJsonBody(Buffer.from('{"a":[1,null,"x"]}'))).toEqual({ a: [1, null, 'x'] });
    expect(parseJsonBody(Buffer.from(' \n'))).toBeUndefined();
  });

  it('is refused if it is not JSON', () => {
    expect(refusalOf('{"a":')).toEqual({ status: 400, pointers: [] });
  });

  it('is refused if it could change prototypes', () => {
    expect(refusalOf('{"a/b":[{"__proto__":{"admin":true}}]}')).toEqual({
      status: 422,
      pointers: ['/a~1b/0/__proto__'],
    });
  });

  it.each([String.raw`{"a":[{"b":"x\u0000"}]}`, String.raw`{"a":[{"b":"\ud83d"}]}`])(
    'is refused with a text that cannot be stored: %s',
    (text) => {
      expect(refusalOf(text)).toEqual({ status: 422, pointers: ['/a/0/b'] });
    },
  );

  it('is accepted with escape sequences of complete characters', () => {
    expect(parseJsonBody(Buffer.from(String.raw`{"a":"\ud83d\udeb2"}`))).toEqual({ a: '🚲' });
  });

  it('is refused for the name __proto__, also after nulls, numbers and texts', () => {
    expect(refusalOf('{"a":null,"b":[null,1,"x",{"__proto__":1}]}')?.pointers).toEqual(['/b/3/__proto__']);
  });

  it('is refused if it is nested so deep that reading it would exhaust the stack', () => {
    expect(refusalOf(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`)?.pointers).toEqual(['/a'.repeat(64)]);
    expect(refusalOf(`${'['.repeat(64)}${']'.repeat(64)}`)).toBeUndefined();
  });
});

describe('a JSON body of the largest size', () => {
  const fieldsOf = (count: number) => Array.from({ length: count }, (_, at) => `"f${at}":1`).join(',');

  it('is refused with a pointer to the object that has more than 10,000 fields', () => {
    expect(refusalOf(`{"a":{${fieldsOf(10_001)}}}`)?.pointers).toEqual(['/a']);
  });

  it('is refused for a name of more than 1,000 characters, with a pointer to its object', () => {
    const numbers = Array.from({ length: 100 }, () => '12345678901234567890').join(',');
    expect(refusalOf(`{"a":{"${'b'.repeat(1_040_000)}":[${numbers}]}}`)?.pointers).toEqual(['/a']);
    expect(refusalOf(`{"${'b'.repeat(1001)}":1}`)?.pointers).toEqual(['']);
    expect(refusalOf(`{"${'b'.repeat(1000)}":1}`)).toBeUndefined();
  });

  it('has a short answer even if its names are long and deeply nested', () => {
    const numbers = Array.from({ length: 100 }, () => '12345678901234567890').join(',');
    const open = `{"${'b'.repeat(1000)}":`.repeat(63);
    const refusal = refusalOf(`${open}[${numbers}]${'}'.repeat(63)}`);
    expect(refusal?.pointers).toHaveLength(100);
    expect(refusal?.pointers.join('').length).toBeLessThanOrEqual(100_000);
  });

  it('is refused with a pointer to the first value above the limit of one value per ten bytes', () => {
    // The body itself and each inner list also count as values.
    expect(refusalOf(`[[${'1,'.repeat(524_280)}1]]`)?.pointers).toEqual(['/0/104854']);
    expect(refusalOf(`[${'[1],'.repeat(200_000)}1]`)?.pointers).toEqual(['/39999/0']);
  });

  it('is accepted with as many values as a body of 64 KiB may have', () => {
    expect(refusalOf(`[${'1,'.repeat(65_534)}1]`)).toBeUndefined();
  });

  it('is accepted with as many fields as an object may have', () => {
    expect(refusalOf(`{${fieldsOf(10_000)}}`)).toBeUndefined();
  });
});

describe('a number in a JSON body', () => {
  function problemsOf(text: string) {
    try {
      parseJsonBody(Buffer.from(text));
    } catch (error) {
      if (error instanceof HttpProblem) return error.errors;
    }
    return [];
  }

  it.each([
    ['12345678901234567890', 'would become 12345678901234567000'],
    ['-9007199254740993', 'would become -9007199254740992'],
    // This number is exact in JavaScript, but its neighbour would be parsed to the same value.
    ['9007199254740992', 'write it as a string, "9007199254740992"'],
    ['1.00000000000000000001', 'would become 1'],
    ['1e-400', 'would become 0'],
  ])('is refused with its pointer if its parsed value would differ: %s', (source, detail) => {
    const problems = problemsOf(`{"chain":[{},{"params":{"a/b":${source}}}]}`);

    expect(problems).toMatchObject([{ pointer: '/chain/1/params/a~1b', code: 'inexact-number' }]);
    expect(problems[0]?.detail).toContain(`${source} `);
    expect(problems[0]?.detail).toContain(detail);
  });

  it('is found after texts with quotes, brackets and numbers, and in fields with escaped names', () => {
    const text = '{"a\\"[{1e999":["\\\\","]12345678901234567890,",{"\\u00e9":12345678901234567890}],"z":-1e999}';
    expect(problemsOf(text).map(({ pointer }) => pointer)).toEqual(['/a"[{1e999/2/é', '/z']);
  });

  it('is refused as too large: 1e999', () => {
    expect(problemsOf('[1e999]')).toEqual([
      { pointer: '/0', code: 'out-of-range', detail: '1e999 is larger than the largest number that can be stored' },
    ]);
  });

  it.each([
    '9007199254740991',
    '-0',
    '1.50',
    '0.1',
    '1e21',
    '2.5E-7',
    '100.000000000000000000',
    '"12345678901234567890"',
  ])('is accepted: %s', (source) => {
    expect(problemsOf(`[${source}]`)).toEqual([]);
  });

  it('is listed together with all other refused numbers, up to a hundred', () => {
    expect(problemsOf('{"a":1e999,"b":{"c":[12345678901234567890]}}').map(({ pointer }) => pointer)).toEqual([
      '/a',
      '/b/c/0',
    ]);
    expect(problemsOf(`[${Array.from({ length: 500 }, () => '1e999').join(',')}]`)).toHaveLength(100);
  });
});

it('a body that is not encoded in UTF-8 is refused instead of repaired', () => {
  const latin = Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xe9, 0x22, 0x7d]);
  expect(() => parseJsonBody(latin)).toThrow('UTF-8');
});
