import stringWidth from 'string-width';

/**
 * What others wrote, as one line that is safe to print: line breaks and escape sequences would reach the terminal,
 * characters that turn the direction of writing or cannot be seen would show another text than is there (U+061C, U+200B
 * to U+200F, U+2028 to U+202E, U+2060 to U+2069, U+FEFF).
 */
export function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these characters are what is replaced
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, '·');
}

/** How many cells of a terminal a text takes: two for 北 and 🚲, none for the codes of colours. */
export function cellsOf(text: string): number {
  return stringWidth(text);
}

const graphemes = new Intl.Segmenter();

/** A text without colours as far as it fits, with `…` where something is missing. */
export function cutTo(text: string, cells: number): string {
  if (cellsOf(text) <= cells) return text;
  let kept = '';
  for (const { segment } of graphemes.segment(text)) {
    if (cellsOf(kept) + cellsOf(segment) > cells - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Filled up with blanks to so many cells. */
export function padTo(text: string, cells: number): string {
  return text + ' '.repeat(Math.max(0, cells - cellsOf(text)));
}
