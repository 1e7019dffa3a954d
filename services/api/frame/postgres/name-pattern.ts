/** Of a part of a name, for `ilike`: nothing in it is a pattern. Null where none is looked for. */
export function patternOf(text: string | undefined): string | null {
  return text === undefined ? null : `%${text.replace(/[\\%_]/g, String.raw`\$&`)}%`;
}
