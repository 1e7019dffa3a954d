/** Returns the default title of an action type, made from its name: `Award reward` for `award-reward`. */
export function titleFromName(name: string): string {
  const words = name.split('-').filter(Boolean).join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * Replaces names of action types in a sentence by titles: `“Give a reward”` instead of `award-reward`. Names of one
 * word stay, because they may be ordinary words of the sentence.
 * @param titles of the action types that the sentence may name; an action type without a title gets its default title
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
