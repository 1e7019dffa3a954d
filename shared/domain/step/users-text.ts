/**
 * The users of a batch as one text: the JSON list without its brackets (`"id1","id2"`). It is stored, claimed and sent
 * as it is: parsing a list and writing it again costs twenty times what forwarding its bytes does.
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
 * True when every id is in the text as its plain characters, so that `","`, read from the left, can only be a border
 * between two ids. The one id that looks like a border is a lone comma in front.
 */
export function isPlain(text: UsersText): boolean {
  return !text.includes('\\') && !text.startsWith('","');
}

/** The text without the given ids. Ids that are not in it are passed over. */
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

/** Cuts one quoted id out of a plain text. The quotes make sure that no id is found inside another. */
function cut(text: UsersText, quoted: string): UsersText {
  if (text === quoted) return '';
  if (text.startsWith(`${quoted},`)) return text.slice(quoted.length + 1);
  const at = text.indexOf(`,${quoted}`);
  return at < 0 ? text : text.slice(0, at) + text.slice(at + quoted.length + 1);
}

function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}
