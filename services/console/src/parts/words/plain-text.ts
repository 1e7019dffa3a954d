/**
 * What somebody called something, without what would turn the direction of the text around it: such marks and what is
 * not seen are shown as a dot, as the commands do.
 */
export function plainText(text: string): string {
  return text.replace(/[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, '·');
}
