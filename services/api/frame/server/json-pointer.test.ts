import { describe, expect, it } from 'vitest';
import { pointerOf, shortPointer } from './json-pointer.ts';

const long = 'a'.repeat(500);

describe('a JSON pointer', () => {
  it('is empty for the whole value, and escapes slashes in names', () => {
    expect(pointerOf([])).toBe('');
    expect(pointerOf(['a/b', 0, '~'])).toBe('/a~1b/0/~0');
  });

  it('points to the nearest enclosing value if it would exceed 1,000 characters', () => {
    expect(pointerOf([long, 'b'.repeat(498)])).toHaveLength(1000);
    expect(pointerOf([long, 'b'.repeat(499)])).toBe(`/${long}`);
    expect(pointerOf([long, long, 'c'])).toBe(`/${long}`);
    expect(pointerOf(['/'.repeat(600), 'c'])).toBe('');
    expect(pointerOf(['a'.repeat(1_000_000)])).toBe('');
  });

  it('is shortened in the same way when several pointers are joined', () => {
    expect(shortPointer('/a/b')).toBe('/a/b');
    expect(shortPointer(`/${long}/${'b'.repeat(498)}`)).toHaveLength(1000);
    expect(shortPointer(`/${long}/${'b'.repeat(499)}`)).toBe(`/${long}`);
    expect(shortPointer(`/${long}/${long}/c`)).toBe(`/${long}`);
  });
});
