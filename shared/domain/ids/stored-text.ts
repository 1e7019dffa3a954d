/** Returns whether Postgres can store a text: its types text and jsonb support neither U+0000 nor lone surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

/**
 * Characters that names must not have, as a class of regular expressions: control characters, line and paragraph
 * separators, direction marks and zero-width characters. The joiners U+200C and U+200D are allowed: Persian, Indic
 * scripts and emoji need them.
 */
export const unnameable = String.raw`\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb`;

const holdsUnnameable = new RegExp(`[${unnameable}]`);

export function isName(text: string): boolean {
  return text.isWellFormed() && !holdsUnnameable.test(text);
}

const hidden = new RegExp(`[${unnameable}]`, 'g');

/** Returns a text as JSON in which no character is invisible, moves a cursor or reverses a line. */
export function escapedText(text: string): string {
  return JSON.stringify(text).replace(hidden, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
