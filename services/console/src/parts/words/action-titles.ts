import type { ActionType } from '#client/types.gen.ts';

let titles: ReadonlyMap<string, string> = new Map();

/** Stores the titles of the action types, which `titleOf` returns from then on. */
export function rememberTitles(types: readonly Pick<ActionType, 'name' | 'title'>[]): void {
  titles = new Map(types.map(({ name, title }) => [name, title]));
}

/**
 * Returns the title of an action type, such as `Give a reward` for `award-reward`. If the type was removed, returns its
 * name in words.
 */
export function titleOf(name: string): string {
  return titles.get(name) ?? nameInWords(name);
}

/** Returns the title in quotation marks: `“Give a reward”`. */
export function quotedTitleOf(name: string): string {
  return `“${titleOf(name)}”`;
}

/** Returns the titles of a chain: `Give a reward, then Send a message`. */
export function titlesOf(chain: readonly { action: string }[], between = ', then '): string {
  return chain.map(({ action }) => titleOf(action)).join(between);
}

/**
 * Replaces names of action types in the API's sentences by quoted titles, because campaign managers do not know the
 * names. A name of one word stays: it may be an ordinary word.
 */
export function withTitles(sentence: string): string {
  const names = [...titles.keys()].filter((name) => name.includes('-')).toSorted((a, b) => b.length - a.length);
  if (names.length === 0) return sentence;
  const name = new RegExp(`"?(?<![\\w-])(${names.join('|')})(?![\\w-])"?`, 'g');
  return sentence.replaceAll(name, (_match, found: string) => quotedTitleOf(found));
}

/** Removes the action and the country that the engine puts before a cause. For sentences that already name them. */
export function causeWithoutPlace(cause: string, { action, country }: { action: string; country: string }): string {
  const place = `${action} in ${country}: `;
  return cause.startsWith(place) ? cause.slice(place.length) : cause;
}

function nameInWords(name: string): string {
  const words = name.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
