/**
 * Replaces characters that are invisible, or change the direction of text, by dots. Use it for every name that users
 * have typed. The CLI does the same.
 */
export function plainText(text: string): string {
  return text.replace(/[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, '·');
}
