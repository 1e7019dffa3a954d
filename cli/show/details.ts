import { duration } from './numbers.ts';

/** Formats `by the night shift, reason wrong reward`: names and values, nested values as JSON. */
export function detailText(detail: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(detail).flatMap(([name, value]) => {
    if (value === null || value === undefined) return [];
    if (name === 'forMs' && typeof value === 'number') return [`for ${duration(value / 1000)}`];
    return name === 'by'
      ? [`by ${nameOf(value)}`]
      : [`${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`];
  });
  return parts.join(', ');
}

function nameOf(by: unknown): string {
  return typeof by === 'object' && by !== null && 'keyName' in by ? String(by.keyName) : JSON.stringify(by);
}
