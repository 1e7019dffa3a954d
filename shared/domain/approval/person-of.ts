/**
 * Letters that look like a Latin one, by that one: lower-case Cyrillic and Greek, Latin variants, and digits. Small i
 * is written as l, because its capital looks like one. It is no full table of Unicode's confusables.
 */
const lookAlikes: Readonly<Record<string, string>> = {
  а: 'a',
  в: 'b',
  с: 'c',
  ԁ: 'd',
  е: 'e',
  н: 'h',
  һ: 'h',
  і: 'l',
  ј: 'j',
  к: 'k',
  ӏ: 'l',
  м: 'm',
  о: 'o',
  р: 'p',
  ԛ: 'q',
  ѕ: 's',
  т: 't',
  у: 'y',
  ѵ: 'v',
  ԝ: 'w',
  х: 'x',
  α: 'a',
  β: 'b',
  ε: 'e',
  ζ: 'z',
  ι: 'l',
  κ: 'k',
  μ: 'm',
  ν: 'v',
  ο: 'o',
  ρ: 'p',
  τ: 't',
  υ: 'u',
  χ: 'x',
  i: 'l',
  ı: 'l',
  ɩ: 'l',
  ɪ: 'l',
  ǀ: 'l',
  1: 'l',
  '|': 'l',
  ɑ: 'a',
  ɡ: 'g',
  0: 'o',
};

/** Small form of the Turkish capital İ: an i with a second dot, which cannot be seen. */
const dottedI = 'l\u0307';

/** Control, format and other invisible characters, and those that turn the direction of a line. */
const invisible = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gu;

/** An owner as it is stored: compatibility forms are written out, and runs of blanks are one. */
export function normalOwner(owner: string): string {
  return owner.normalize('NFKC').replace(/\s+/gu, ' ').trim();
}

/**
 * Person whose keys an owner names. Owners that look alike are one person: case, width, blanks, invisible characters, a
 * dot at the end and look-alike letters make no other.
 */
export function personOf(owner: string): string {
  const plain = normalOwner(owner.replace(invisible, '')).toLowerCase().normalize('NFKC');
  const letters = Array.from(plain, (letter) => lookAlikes[letter] ?? letter);
  return letters.join('').replaceAll(dottedI, 'l').replace(/\.+$/, '');
}

/** Scripts whose letters are taken for each other's. */
const alikeScripts = [
  ...[/\p{Script=Latin}/u, /\p{Script=Greek}/u, /\p{Script=Cyrillic}/u, /\p{Script=Armenian}/u],
  ...[/\p{Script=Cherokee}/u, /\p{Script=Coptic}/u, /\p{Script=Lisu}/u],
];

/** Returns true if an owner has visible characters alone, and no word with letters of two scripts that look alike. */
export function isPlainOwner(owner: string): boolean {
  if (owner.search(invisible) !== -1) return false;
  const words = owner.split(/[^\p{L}\p{M}]+/u);
  return words.every((word) => alikeScripts.filter((script) => script.test(word)).length <= 1);
}
