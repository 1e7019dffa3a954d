import { describe, expect, test } from 'vitest';
import { cellsOf, cutTo, oneLine, padTo } from './text.ts';

describe('oneLine for text from untrusted sources', () => {
  test.each(['\u0000', '\n', '\u001b', '\u009b', '\u061c', '\u200b', '\u200f', '\u2028', '\u202e', '\u2066', '\ufeff'])(
    'replaces %j with a dot',
    (character) => {
      expect(oneLine(`evil${character}txt`)).toBe('evil·txt');
    },
  );

  test('keeps letters, symbols and emoji', () => {
    const text = 'Łódź, 北京, São Paulo – 50 % 🚲';
    expect(oneLine(text)).toBe(text);
  });
});

describe('the width of text on a terminal', () => {
  test('is two cells for a wide character and zero for colour codes', () => {
    expect([cellsOf('abc'), cellsOf('北京'), cellsOf('🚲'), cellsOf('\u001b[31mab\u001b[39m')]).toEqual([3, 4, 2, 2]);
  });

  test.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 4, 'abc…'],
    ['北京上海', 5, '北京…'],
    ['北京上海', 4, '北…'],
    ['👨‍👩‍👧 family', 4, '👨‍👩‍👧 …'],
  ])('%j is cut to %i cells as %j', (text, cells, cut) => {
    expect(cutTo(text, cells)).toBe(cut);
    expect(cellsOf(cut)).toBeLessThanOrEqual(cells);
  });

  test('is padded by the visible cells', () => {
    expect(padTo('北', 4)).toBe('北  ');
  });
});
