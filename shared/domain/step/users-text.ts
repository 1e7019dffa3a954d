/**
 * Users of a batch as one text: the JSON list without its brackets (`"id1","id2"`). The text is stored, claimed and
 * sent unchanged: parsing and serializing a list costs twenty times as much as forwarding its bytes.
 */
export type UsersText = string;

export function usersTextOf(ids: readonly string[]): UsersText {
  return JSON.stringify(ids).slice(1, -1);
}

export function usersOf(text: UsersText): string[] {
  const parsed: unknown = JSON.parse(`[${text}]`);
  if (!isStringArray(parsed)) throw new Error('a users text holds something other than strings');
  return parsed;
}

/**
 * Returns true if the text contains every id without escapes, so that each `","` in it separates two ids. The only
 * exception would be a first id that is a single comma, so such a text is not plain.
 */
export function isPlain(text: UsersText): boolean {
  return !text.includes('\\') && !text.startsWith('","');
}

/** Returns the text without the given ids. Ids that are not in the text are ignored. */
export function withoutUsers(text: UsersText, lost: readonly string[]): UsersText {
  if (lost.length === 0) return text;
  if (!isPlain(text) || lost.length > 8 || lost.includes(',')) {
    const gone = new Set(lost);
    return usersTextOf(usersOf(text).filter((id) => !gone.has(id)));
  }
  let rest = text;
  for (const id of lost) rest = cut(rest, JSON.stringify(id));
  return rest;
}

/** Cuts one quoted id out of a plain text. The quotes prevent matches within another id. */
function cut(text: UsersText, quoted: string): UsersText {
  if (text === quoted) return '';
  if (text.startsWith(`${quoted},`)) return text.slice(quoted.length + 1);
  const at = text.indexOf(`,${quoted}`);
  return at < 0 ? text : text.slice(0, at) + text.slice(at + quoted.length + 1);
}

function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}
