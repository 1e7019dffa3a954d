import { createHash } from 'node:crypto';

/**
 * Maximum length of a user id in UTF-8. User ids are strings of the caller: 1 to 256 bytes without control characters
 * and lone surrogates. They are compared and ordered by their bytes.
 */
export const maxUserIdBytes = 256;

// oxlint-disable-next-line no-control-regex -- control characters are what this looks for
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

const surrogate = /[\ud800-\udfff]/;

export type UserIdRule = 'empty' | 'too-long' | 'control-character' | 'lone-surrogate';

export function isValidUserId(id: string): boolean {
  return hasValidLength(id) && isValidText(id);
}

/** Returns the first rule that the id breaks; null for a valid id. */
export function brokenUserIdRule(id: string): UserIdRule | null {
  if (id.length === 0) return 'empty';
  if (!hasValidLength(id)) return 'too-long';
  if (controlCharacter.test(id)) return 'control-character';
  return id.isWellFormed() ? null : 'lone-surrogate';
}

/** Returns whether all ids are valid. Checking them as one text takes a tenth of the time of checking each. */
export function areValidUserIds(ids: readonly string[]): boolean {
  // The comma separates two lone surrogates, which would otherwise form a valid pair.
  return ids.every(hasValidLength) && isValidText(ids.join(','));
}

function isValidText(text: string): boolean {
  return !controlCharacter.test(text) && text.isWellFormed();
}

function hasValidLength(id: string): boolean {
  if (id.length === 0 || id.length > maxUserIdBytes) return false;
  // A UTF-16 unit takes at most three bytes, so short ids are valid without counting.
  return id.length * 3 <= maxUserIdBytes || utf8Length(id) <= maxUserIdBytes;
}

function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0;
    bytes += codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** Compares by byte order: negative if `a` comes first. JavaScript's own `<` orders surrogates below U+E000. */
export function compareUserIds(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return liftSurrogate(x) - liftSurrogate(y);
  }
  return a.length - b.length;
}

/** Returns the index of the first id that breaks the strictly ascending byte order after `after`; -1 if none does. */
export function findDisorder(ids: readonly string[], after: string | null): number {
  // Without characters above the basic plane, JavaScript's own order equals byte order, and is several times as fast.
  const isBasic = !surrogate.test(ids.join('')) && (after === null || !surrogate.test(after));
  let previous = after;
  return ids.findIndex((id) => {
    const isAfter = previous === null || (isBasic ? id > previous : compareUserIds(id, previous) > 0);
    previous = id;
    return !isAfter;
  });
}

/** Moves surrogates above the rest of the basic plane, where their code points belong. */
function liftSurrogate(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** Half an escape, or half a surrogate pair, at the end of a truncated text. */
const cutInTwo = /(\\u?[0-9a-f]{0,3}|[\ud800-\udbff])$/;

/**
 * Returns a printable form of an invalid id, escaped as in JSON. An id of more than 256 bytes is truncated. It ends in
 * `…#` and eight hex digits of its SHA-256, so that ids with the same beginning differ.
 */
export function escapeUserId(id: string): string {
  if (id.length === 0 || hasValidLength(id)) return escaped(id);
  const digest = createHash('sha256').update(id).digest('hex').slice(0, 8);
  const printable = escaped(id.slice(0, maxUserIdBytes)).slice(0, maxUserIdBytes).replace(cutInTwo, '');
  return `${printable}…#${digest}`;
}

function escaped(text: string): string {
  // JSON.stringify does not escape U+007F to U+009F, which are control characters too.
  return JSON.stringify(text)
    .slice(1, -1)
    .replace(/[\u007f-\u009f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
