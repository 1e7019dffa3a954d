import { formatCount } from './numbers.ts';

/** Formats a small share, below one percent with two decimals: `0.55 %`, `1.1 %`. Only zero is `0 %`. */
export function formatFineShare(part: number, whole: number): string {
  if (whole <= 0) return '–';
  const percent = (part / whole) * 100;
  if (percent === 0 || percent === 100) return `${percent} %`;
  if (percent < 0.01) return '< 0.01 %';
  // Shares close to 100 % are truncated, not rounded: 99.97 % must not become “100.0 %”.
  if (percent > 99.9) return '99.9 %';
  return `${percent < 1 ? percent.toFixed(2) : percent.toFixed(1)} %`;
}

/** Formats the difference of two values: `+ 5.1`, `− 14`, `0`. */
export function formatDifference(difference: number, decimals = 0): string {
  const size = Math.abs(difference).toFixed(decimals);
  if (Number(size) === 0) return '0';
  const whole = formatCount(Math.trunc(Number(size)));
  const rest = decimals > 0 ? size.slice(size.indexOf('.')) : '';
  return `${difference < 0 ? '−' : '+'} ${whole}${rest}`;
}

/** Joins words: `a, b and c`. */
export function joinWords(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}

/** Capitalizes the first letter: `Out of stock`. A leading id stays unchanged, so that it can be copied. */
export function capitalize(text: string): string {
  return /^[a-z]{2,6}_[0-9a-z]/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

/** Formats a text as a sentence: `Out of stock.` */
export function formatSentence(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') return '';
  const first = capitalize(trimmed);
  return /[.!?…]$/.test(first) ? first : `${first}.`;
}
