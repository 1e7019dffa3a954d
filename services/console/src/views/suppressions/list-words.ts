import type { SuppressionUpload } from '#client/types.gen.ts';
import { formatDuration } from '../../parts/times/times.ts';
import { countOf } from '../../parts/words/numbers.ts';
import { quotedTitleOf } from '../../parts/words/action-titles.ts';

/** Value that means all action types. */
export const everyType = '*';

export function listWords(actionType: string): string {
  return actionType === everyType ? 'every action type' : quotedTitleOf(actionType);
}

/** Describes the result of a file: `12 added, 3 were on it`, `the list is 12 people`. */
export function uploadWords({ state, mode, people, rows, rejected, cause }: SuppressionUpload): string {
  if (state === 'receiving') return `rows come in, ${countOf(rows, 'row')} so far`;
  if (state === 'failed') {
    const kept = mode === 'replace' ? 'nothing of it stays' : `${countOf(people, 'person', 'people')} added before`;
    return `${cause ?? 'it failed'}; ${kept}`;
  }
  if (mode === 'replace') return `the list is ${countOf(people, 'person', 'people')} since`;
  return `${countOf(people, 'person', 'people')} added of ${countOf(rows - rejected, 'row')}`;
}

/** Returns `A call to them that was claimed before may still begin within 30 s.`; empty if no call can be claimed. */
export function lastCallWords(withinMs: number | null): string {
  return withinMs === null
    ? ''
    : `A call to them that was claimed before may still begin within ${formatDuration(withinMs)}.`;
}

/** Parses typed or pasted ids: one per line, or separated by commas or blanks. */
export function usersIn(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((user) => user !== ''))];
}
