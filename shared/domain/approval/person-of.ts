/**
 * Letters that look like a Latin letter, mapped to that letter: lower-case Cyrillic and Greek, Latin variants, and
 * digits. Lower-case i maps to l, because its capital looks like l. This is not Unicode's full table of confusables.
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

/** Lower-case form of the Turkish capital İ: an i with a combining dot, which is invisible there. */
const dottedI = 'l\u0307';

/** Control, format and other invisible characters, and characters that change the direction of a line. */
const invisible = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gu;

/** Returns an owner in its stored form: compatibility forms are normalized, and blanks are collapsed. */
export function normalOwner(owner: string): string {
  return owner.normalize('NFKC').replace(/\s+/gu, ' ').trim();
}

/**
 * Returns the person whose keys an owner names. Owners that look alike are one person: case, width, blanks, invisible
 * characters, a dot at the end and look-alike letters do not distinguish persons.
 */
export function personOf(owner: string): string {
  const plain = normalOwner(owner.replace(invisible, '')).toLowerCase().normalize('NFKC');
  const letters = Array.from(plain, (letter) => lookAlikes[letter] ?? letter);
  return letters.join('').replaceAll(dottedI, 'l').replace(/\.+$/, '');
}

const alikeScripts = [
  ...[/\p{Script=Latin}/u, /\p{Script=Greek}/u, /\p{Script=Cyrillic}/u, /\p{Script=Armenian}/u],
  ...[/\p{Script=Cherokee}/u, /\p{Script=Coptic}/u, /\p{Script=Lisu}/u],
];

/** Returns true if an owner has only visible characters, and no word with letters of two scripts that look alike. */
export function isPlainOwner(owner: string): boolean {
  if (owner.search(invisible) !== -1) return false;
  const words = owner.split(/[^\p{L}\p{M}]+/u);
  return words.every((word) => alikeScripts.filter((script) => script.test(word)).length <= 1);
}
