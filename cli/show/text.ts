import stringWidth from 'string-width';

/**
 * Returns a foreign text as one line that is safe to print. Line breaks and escape sequences would reach the terminal.
 * Invisible and direction-changing characters would display another text (U+061C, U+200B to U+200F, U+2028 to U+202E,
 * U+2060 to U+2069, U+FEFF).
 */
export function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these characters are what is replaced
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, '·');
}

/** Returns the terminal cells of a text: two for 北 and 🚲, none for colour codes. */
export function cellsOf(text: string): number {
  return stringWidth(text);
}

const graphemes = new Intl.Segmenter();

/** Truncates a text without colours to fit, ending in `…`. */
export function cutTo(text: string, cells: number): string {
  if (cellsOf(text) <= cells) return text;
  let kept = '';
  for (const { segment } of graphemes.segment(text)) {
    if (cellsOf(kept) + cellsOf(segment) > cells - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

export function padTo(text: string, cells: number): string {
  return text + ' '.repeat(Math.max(0, cells - cellsOf(text)));
}
