import { describe, expect, it } from 'vitest';
import { preferredType } from './preferred-type.ts';

describe('the media type of an answer', () => {
  it.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['text/csv', 'text/csv'],
    ['TEXT/CSV', 'text/csv'],
    ['text/*', 'text/csv'],
    ['text/csv; header=present', 'text/csv'],
    ['application/json;q=0.5, text/csv', 'text/csv'],
    ['application/json, text/csv;q=0.9', 'application/json'],
    ['text/csv;q=0, */*;q=0.1', 'application/json'],
    ['text/html, application/xhtml+xml, */*;q=0.8', 'application/json'],
    ['image/png', 'application/json'],
    ['', 'application/json'],
    ['text/csv;q=high', 'application/json'],
  ])('for Accept: %s is %s', (accept, type) => {
    expect(preferredType(accept, ['application/json', 'text/csv'])).toBe(type);
  });
});
