/** Parses a typed number, with commas or without. Null if the text is empty, undefined if it is not a number. */
export function typedNumber(text: string): number | null | undefined {
  const plain = text.trim().replaceAll(/[, ]/g, '');
  if (plain === '') return null;
  return Number.isFinite(Number(plain)) ? Number(plain) : undefined;
}
