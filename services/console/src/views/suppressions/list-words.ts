import type { SuppressionUpload } from '#client/types.gen.ts';
import { formatDuration } from '../../parts/times/times.ts';
import { countOf } from '../../parts/words/numbers.ts';
import { quotedTitleOf } from '../../parts/words/action-titles.ts';

/** Stands for all action types. */
export const everyType = '*';

export function listWords(actionType: string): string {
  return actionType === everyType ? 'every action type' : quotedTitleOf(actionType);
}

/** `12 added, 3 were on it`, `the list is 12 people`: what a file made of its list. */
export function uploadWords({ state, mode, people, rows, rejected, cause }: SuppressionUpload): string {
  if (state === 'receiving') return `rows come in, ${countOf(rows, 'row')} so far`;
  if (state === 'failed') {
    const kept = mode === 'replace' ? 'nothing of it stays' : `${countOf(people, 'person', 'people')} added before`;
    return `${cause ?? 'it failed'}; ${kept}`;
  }
  if (mode === 'replace') return `the list is ${countOf(people, 'person', 'people')} since`;
  return `${countOf(people, 'person', 'people')} added of ${countOf(rows - rejected, 'row')}`;
}

/** `A call to them that was claimed before may still begin within 30 s.`; empty if nothing can be claimed. */
export function lastCallWords(withinMs: number | null): string {
  return withinMs === null
    ? ''
    : `A call to them that was claimed before may still begin within ${formatDuration(withinMs)}.`;
}

/** Ids as they are typed or pasted: one a line, or separated by commas or blanks. */
export function usersIn(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((user) => user !== ''))];
}
