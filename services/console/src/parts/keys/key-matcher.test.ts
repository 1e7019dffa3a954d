import { describe, expect, test } from 'vitest';
import { createKeyMatcher, type Press } from './key-matcher.ts';

const commands = new Set(['?', 'J', 'X', 'G C', 'G H', 'C', 'Shift A', 'Escape']);
const plain: Press = { key: '', shift: false, modified: false, inField: false };

function presses(...keys: (string | Partial<Press>)[]) {
  const matcher = createKeyMatcher(() => true);
  return keys.map((key, index) => {
    const press = typeof key === 'string' ? { ...plain, key } : { ...plain, ...key };
    return matcher.press(press, commands, index * 100);
  });
}

describe('keys without a modifier', () => {
  test('one key is a command, whatever its case', () => {
    expect(presses('j', 'X')).toEqual(['J', 'X']);
  });

  test('after G the second letter says where to, and is no command of its own', () => {
    expect(presses('g', 'c', 'c')).toEqual([undefined, 'G C', 'C']);
  });

  test('a second letter that comes too late is a command of its own', () => {
    const matcher = createKeyMatcher(() => true);
    matcher.press({ ...plain, key: 'g' }, commands, 0);
    expect(matcher.press({ ...plain, key: 'c' }, commands, 2000)).toBe('C');
  });

  test('with shift a letter is another key; a sign is what it is', () => {
    expect(presses({ key: 'A', shift: true }, { key: '?', shift: true })).toEqual(['Shift A', '?']);
  });

  test('they are off in fields, and beside Ctrl and ⌘', () => {
    expect(presses({ key: 'j', inField: true }, { key: 'c', modified: true })).toEqual([undefined, undefined]);
  });

  test('a setting turns single keys off, and Escape stays', () => {
    const matcher = createKeyMatcher(() => false);
    expect(matcher.press({ ...plain, key: 'j' }, commands, 0)).toBeUndefined();
    expect(matcher.press({ ...plain, key: 'Escape' }, commands, 0)).toBe('Escape');
  });
});
