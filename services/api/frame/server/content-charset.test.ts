import { describe, expect, it } from 'vitest';
import { HttpProblem } from '../http-problem.ts';
import { requireUtf8 } from './content-charset.ts';

function refusalOf(contentType: string | undefined): unknown {
  try {
    requireUtf8(contentType);
    return undefined;
  } catch (error) {
    return error instanceof HttpProblem ? [error.status, error.code, error.message] : error;
  }
}

describe('the charset of a body', () => {
  it.each([
    undefined,
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'text/csv; header=present; Charset = "Utf-8"',
    'application/json; charset=utf8',
    'application/json; charset="u\\tf-8"',
    'application/json; x-charset=latin1',
  ])('may be utf-8 in any case and with quotes: %s', (contentType) => {
    expect(refusalOf(contentType)).toBeUndefined();
  });

  it.each([
    ['application/json; charset=iso-8859-1', 'iso-8859-1'],
    ['application/json; charset=ISO-8859-1; x=y', 'ISO-8859-1'],
    ['application/json; charset="windows-1252"', 'windows-1252'],
    ['text/csv;charset=utf-16le', 'utf-16le'],
    ['text/csv; charset=utf-8; charset=latin1', 'latin1'],
    ['text/csv; charset=us-ascii', 'us-ascii'],
    ['text/csv; charset=', ''],
    ["text/csv; charset='utf-8'", "'utf-8'"],
  ])('is refused with its name if it is another one: %s', (contentType, charset) => {
    const detail = `charset is ${JSON.stringify(charset)}, and has to be utf-8 or absent`;
    expect(refusalOf(contentType)).toEqual([415, 'unsupported-charset', detail]);
  });
});
