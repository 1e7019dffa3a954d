import { expect, it } from 'vitest';
import { isStorable } from './stored-text.ts';

it.each(['', 'plain', '\u0001 tab\t line\n', 'back\\u0000slash', '🚲 é'])('can keep %j', (text) => {
  expect(isStorable(text)).toBe(true);
});

it.each(['a\u0000b', '\ud83d', '\udeb2\ud83d'])('cannot keep %j', (text) => {
  expect(isStorable(text)).toBe(false);
});
