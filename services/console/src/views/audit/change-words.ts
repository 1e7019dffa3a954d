import type { Change } from '#client/types.gen.ts';
import { shortId } from '../../parts/controls/copy-button.tsx';
import { capitalize } from '../../parts/words/figures.ts';
import { formatCount } from '../../parts/words/numbers.ts';

/** Describes the detail of a change: `Reason: wrong template · users at most: SG 1,785, VN 42`. */
export function describeDetail(detail: Change['detail']): string {
  return capitalize(
    Object.entries(detail)
      .toSorted(([a], [b]) => Number(b === 'from') - Number(a === 'from'))
      .map(([name, value]) => `${nameInWords(name)}: ${valueInWords(value)}`)
      .join(' · '),
  );
}

/** Converts a name into words: `usersAtMost` becomes `users at most`; codes such as `SG` stay. */
function nameInWords(name: string): string {
  return /[a-z]/.test(name) ? name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase() : name;
}

/** Shortens hashes and ids in the middle. The full text stays available where the value is copied. */
function textInWords(text: string): string {
  if (/^[0-9a-f]{40,}$/.test(text)) return `${text.slice(0, 4)}…${text.slice(-4)}`;
  return /^[a-z]{3}_[0-9a-z]{20,}$/.test(text) ? shortId(text) : text;
}

function valueInWords(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  if (typeof value === 'number') return formatCount(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return textInWords(value);
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(valueInWords).join('; ');
  const entries = Object.entries(value);
  if (entries.length === 0) return 'none';
  return entries.map(([name, inner]) => `${nameInWords(name)} ${valueInWords(inner)}`).join(', ');
}

/** Describes the result of a change, by the status of the API's answer. */
export function describeResult(status: number): { isDone: boolean; words: string } {
  if (status < 300) return { isDone: true, words: 'done' };
  return { isDone: false, words: status === 409 ? 'refused by its state' : `refused, ${status}` };
}
