import { describe, expect, test } from 'vitest';
import { createKeyMatcher, type KeyPress } from './key-matcher.ts';

const commands = new Set(['?', 'J', 'X', 'G C', 'G H', 'C', 'Shift A', 'Escape']);
const plain: KeyPress = { key: '', shift: false, modified: false, inField: false };

function presses(...keys: (string | Partial<KeyPress>)[]) {
  const matcher = createKeyMatcher(() => true);
  return keys.map((key, index) => {
    const press = typeof key === 'string' ? { ...plain, key } : { ...plain, ...key };
    return matcher.press(press, commands, index * 100);
  });
}

describe('keys without a modifier', () => {
  test('are a command each, in either case', () => {
    expect(presses('j', 'X')).toEqual(['J', 'X']);
  });

  test('select a view after G, and are no command of their own then', () => {
    expect(presses('g', 'c', 'c')).toEqual([undefined, 'G C', 'C']);
  });

  test('are commands of their own if they come too late after G', () => {
    const matcher = createKeyMatcher(() => true);
    matcher.press({ ...plain, key: 'g' }, commands, 0);
    expect(matcher.press({ ...plain, key: 'c' }, commands, 2000)).toBe('C');
  });

  test('become other keys with Shift if they are letters, but not if they are signs', () => {
    expect(presses({ key: 'A', shift: true }, { key: '?', shift: true })).toEqual(['Shift A', '?']);
  });

  test('are off in fields, and together with Ctrl or ⌘', () => {
    expect(presses({ key: 'j', inField: true }, { key: 'c', modified: true })).toEqual([undefined, undefined]);
  });

  test('are turned off by a setting, except for Escape', () => {
    const matcher = createKeyMatcher(() => false);
    expect(matcher.press({ ...plain, key: 'j' }, commands, 0)).toBeUndefined();
    expect(matcher.press({ ...plain, key: 'Escape' }, commands, 0)).toBe('Escape');
  });
});
