/** The title of an action type that has none of its own: its name in words. `Award reward` for `award-reward`. */
export function titleFromName(name: string): string {
  const words = name.split('-').filter(Boolean).join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * A sentence with `“Give a reward”` in place of `award-reward`, for people who know no names. A name of one word stays:
 * it may be a word of the sentence.
 * @param titles of the action types that the sentence may name; one without a title has its name in words
 */
export function withTitles(
  sentence: string,
  actionTypes: readonly string[],
  titles: Readonly<Record<string, string>>,
): string {
  const names = actionTypes.filter((name) => name.includes('-')).toSorted((a, b) => b.length - a.length);
  if (names.length === 0) return sentence;
  const named = new RegExp(`"?(?<![\\w-])(${names.join('|')})(?![\\w-])"?`, 'g');
  return sentence.replaceAll(named, (_match, name: string) => `“${titles[name] ?? titleFromName(name)}”`);
}
