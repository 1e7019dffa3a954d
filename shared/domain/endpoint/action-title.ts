/** The title of an action type that has none of its own: its name in words. `Award reward` for `award-reward`. */
export function titleFromName(name: string): string {
  const words = name.split('-').filter(Boolean).join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
