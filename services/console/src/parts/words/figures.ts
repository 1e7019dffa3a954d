import { formatCount } from './numbers.ts';

/**
 * A small share in percent, with two decimals below one percent: `0.55 %`, `1.1 %`. What is not nothing is never shown
 * as `0 %`.
 */
export function formatFineShare(part: number, whole: number): string {
  if (whole <= 0) return '–';
  const percent = (part / whole) * 100;
  if (percent === 0 || percent === 100) return `${percent} %`;
  if (percent < 0.01) return '< 0.01 %';
  // Cut, not rounded, near the top: 99.97 % is not "100.0 %".
  if (percent > 99.9) return '99.9 %';
  return `${percent < 1 ? percent.toFixed(2) : percent.toFixed(1)} %`;
}

/** How a value differs from another one: `+ 5.1`, `− 14`, `0`. */
export function formatDifference(difference: number, decimals = 0): string {
  const size = Math.abs(difference).toFixed(decimals);
  if (Number(size) === 0) return '0';
  const whole = formatCount(Math.trunc(Number(size)));
  const rest = decimals > 0 ? size.slice(size.indexOf('.')) : '';
  return `${difference < 0 ? '−' : '+'} ${whole}${rest}`;
}

/** `a, b and c`. */
export function listed(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}

/** `out of stock` as `Out of stock`; an id that it begins with stays as it is, to be pasted back. */
export function capitalOf(text: string): string {
  return /^[a-z]{2,6}_[0-9a-z]/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
}

/** `out of stock` as `Out of stock.` */
export function sentence(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') return '';
  const first = capitalOf(trimmed);
  return /[.!?…]$/.test(first) ? first : `${first}.`;
}
