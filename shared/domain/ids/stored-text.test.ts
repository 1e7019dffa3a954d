import { expect, it } from 'vitest';
import { escapedText, isName, isStorable } from './stored-text.ts';

it.each(['', 'plain', '\u0001 tab\t line\n', 'back\\u0000slash', '🚲 é'])('%j can be stored', (text) => {
  expect(isStorable(text)).toBe(true);
});

it.each(['a\u0000b', '\ud83d', '\udeb2\ud83d'])('%j cannot be stored', (text) => {
  expect(isStorable(text)).toBe(false);
});

it.each(['Lapsed riders', 'Été 🚲', '👨\u200d👩\u200d👧', 'می\u200cخواهم', 'tab-less  blanks'])(
  '%j is accepted as a name',
  (text) => {
    expect(isName(text)).toBe(true);
  },
);

it.each([
  'a\u0000',
  'a\nb',
  '\u001b[2J',
  '\u202eevil',
  '\u2066x',
  'zero\u200bwidth',
  '\ufeffname',
  'a\u2028b',
  '\ud83d',
])('%j is rejected as a name, and is escaped for display', (text) => {
  expect(isName(text)).toBe(false);
  expect(escapedText(text)).toMatch(/^[\x20-\x7e]+$/);
  expect(JSON.parse(escapedText(text))).toBe(text);
});
