/** A number as somebody typed it, with its commas or without; null where nothing is typed, undefined where it is none. */
export function typedNumber(text: string): number | null | undefined {
  const plain = text.trim().replaceAll(/[, ]/g, '');
  if (plain === '') return null;
  return Number.isFinite(Number(plain)) ? Number(plain) : undefined;
}
