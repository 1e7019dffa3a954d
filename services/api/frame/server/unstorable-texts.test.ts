import { describe, expect, it } from 'vitest';
import { mayHoldUnstorable, unstorableTexts } from './unstorable-texts.ts';

describe('a text that cannot be stored', () => {
  it.each([
    ['U+0000', { deep: [{ note: 'a\u0000b' }] }, '/deep/0/note', String.raw`"a\u0000b"`],
    ['the first half of a pair', { note: 'a\ud83d' }, '/note', String.raw`"a\ud83d"`],
    ['the second half of a pair', { note: '\udeb2a' }, '/note', String.raw`"\udeb2a"`],
    ['a name of a field', { metadata: { 'a\u0000': 1 } }, '/metadata', String.raw`"a\u0000"`],
  ])('is reported with its place and its value: %s', (_, value, pointer, quoted) => {
    expect(unstorableTexts(value)).toEqual([
      {
        pointer,
        code: 'unstorable-text',
        detail: `${quoted} contains U+0000 or half of a surrogate pair, which texts must not contain`,
      },
    ]);
  });

  it('is reported at most a hundred times, including names of fields', () => {
    const names = Array.from({ length: 5000 }, (_, at): [string, number] => [`${at}\u0000`, at]);
    expect(unstorableTexts({ deep: Object.fromEntries(names) })).toHaveLength(100);
  });

  it('does not include other texts, numbers or null', () => {
    expect(unstorableTexts({ note: '🚲\u0001\u202e', list: [1, null, true], none: undefined })).toEqual([]);
  });

  it.each([[String.raw`{"a":"\u0000"}`], [String.raw`{"a":"\uD83D\uDEB2"}`], [String.raw`{"a":"\\udeb2"}`]])(
    'may be in %s, so the body is searched',
    (json) => {
      expect(mayHoldUnstorable(json)).toBe(true);
    },
  );

  it('cannot be in JSON without an escape sequence', () => {
    expect(mayHoldUnstorable(String.raw`{"a":"🚲 \n \u00e9"}`)).toBe(false);
  });
});
