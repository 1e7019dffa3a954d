import type { ActionType } from '#client/types.gen.ts';

let titles: ReadonlyMap<string, string> = new Map();

/** Stores the titles that the engine has for its action types: `titleOf` answers with them from now on. */
export function rememberTitles(types: readonly Pick<ActionType, 'name' | 'title'>[]): void {
  titles = new Map(types.map(({ name, title }) => [name, title]));
}

/** `Give a reward` for `award-reward`. A type that the engine does not list any more has its name in words. */
export function titleOf(name: string): string {
  return titles.get(name) ?? nameInWords(name);
}

/** `“Give a reward”`: the title within a sentence. */
export function quotedTitleOf(name: string): string {
  return `“${titleOf(name)}”`;
}

/** `Give a reward, then Send a message` */
export function titlesOf(chain: readonly { action: string }[], between = ', then '): string {
  return chain.map(({ action }) => titleOf(action)).join(between);
}

/**
 * A sentence of the API with quoted titles in place of names, for people who know no names. A name of one word stays: it
 * may be a word of the sentence.
 */
export function withTitles(sentence: string): string {
  const names = [...titles.keys()].filter((name) => name.includes('-')).toSorted((a, b) => b.length - a.length);
  if (names.length === 0) return sentence;
  const name = new RegExp(`"?(?<![\\w-])(${names.join('|')})(?![\\w-])"?`, 'g');
  return sentence.replaceAll(name, (_match, found: string) => quotedTitleOf(found));
}

/** The cause without the place that the engine puts before it, for a sentence that has named the place already. */
export function causeWithoutPlace(cause: string, { action, country }: { action: string; country: string }): string {
  const place = `${action} in ${country}: `;
  return cause.startsWith(place) ? cause.slice(place.length) : cause;
}

function nameInWords(name: string): string {
  const words = name.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
