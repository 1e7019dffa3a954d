/** Returns the `ilike` pattern that finds a text inside a name, with wildcards escaped; null without a text. */
export function patternOf(text: string | undefined): string | null {
  return text === undefined ? null : `%${text.replace(/[\\%_]/g, String.raw`\$&`)}%`;
}
