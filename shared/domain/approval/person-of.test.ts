import { describe, expect, it } from 'vitest';
import { isPlainOwner, normalOwner, personOf } from './person-of.ts';

describe('the person that an owner name stands for', () => {
  it.each([
    ['other case and surrounding blanks', '  M@X '],
    ['an invisible character', 'm@\u200bx'],
    ['a bidirectional control character', '\u202em@x'],
    ['a variation selector', 'm@x\ufe0f'],
    ['full-width letters', 'ｍ＠ｘ'],
    ['a dot at the end', 'm@x.'],
    ['Cyrillic letters', 'м@х'],
    ['a Greek letter', 'm@χ'],
  ])('is the same with %s', (_, owner) => {
    expect(personOf(owner)).toBe(personOf('m@x'));
  });

  it.each([
    ['PauI', 'Paul'],
    ['lan', 'Ian'],
    ['Nik|', 'Niki'],
    ['1an', 'ian'],
    ['IIias', 'Ilias'],
    ['Саrі', 'Carl'],
    ['\u0406an', 'lan'],
    ['\u04c0an', 'Ian'],
    ['\u0399an', 'lan'],
    ['Al\u0131', 'Ali'],
    ['Al\u0131', 'AlI'],
    ['\u0130pek', 'lpek'],
    ['\u01c0an', 'Ian'],
    ['Pau\u026a', 'Paul'],
    ['Pau\u2160', 'Paul'],
  ])('is the same for %s and %s', (one, other) => {
    expect(personOf(one)).toBe(personOf(other));
  });

  it.each([
    ['Paul', 'Pau'],
    ['Ian', 'Jan'],
    ['Ian', 'Iian'],
  ])('differs between %s and %s', (one, other) => {
    expect(personOf(one)).not.toBe(personOf(other));
  });

  it.each(['n@x', 'm@y', 'mm@x', 'm@x.org', '米@x'])('differs for the owner %s', (owner) => {
    expect(personOf(owner)).not.toBe(personOf('m@x'));
  });

  it('is the same for upper and lower case in other scripts', () => {
    for (const owner of ['Ελένη Νίκου', 'Иван Сергеев', 'İpek', 'STRASSE'])
      expect(personOf(owner.toUpperCase())).toBe(personOf(owner.toUpperCase().toLowerCase()));
  });
});

describe('an owner name', () => {
  it('is stored without compatibility characters and extra blanks', () => {
    expect(normalOwner(' Ｍei \t Ling ')).toBe('Mei Ling');
  });

  it.each(['mei@example.com', 'Mei Ling', '李明 Li Ming', 'Иван@example.com', 'team-orders', 'Ελένη', 'naïve'])(
    'can be %s',
    (owner) => {
      expect(isPlainOwner(owner)).toBe(true);
    },
  );

  it.each([
    ['an invisible character', 'me\u200bi'],
    ['a bidirectional control', 'mei\u202e'],
    ['a control character', 'mei\u0007'],
    ['a word that mixes Latin and Cyrillic letters', 'm\u0435i@example.com'],
    ['a word that mixes Latin and Greek letters', 'm\u03b5i'],
  ])('is rejected with %s', (_, owner) => {
    expect(isPlainOwner(owner)).toBe(false);
  });
});
