import type { Change } from '#client/types.gen.ts';

/** `reason: wrong template · state: pausing`; nested values as JSON. */
export function detailInWords(detail: Change['detail']): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' · ');
}

/** How a change ended, by the status of its answer. */
export function endOfChange(status: number): { isDone: boolean; words: string } {
  if (status < 300) return { isDone: true, words: 'done' };
  return { isDone: false, words: status === 409 ? 'refused by its state' : `refused, ${status}` };
}
