/** Replaces invisible characters, and those that change the direction of text, by dots. The CLI does the same. */
export function plainText(text: string): string {
  return text.replace(/[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, '·');
}
