import type { SuppressionUpload } from '#client/types.gen.ts';
import { formatDuration } from '../../parts/times/times.ts';
import { countOf } from '../../parts/words/numbers.ts';
import { quotedTitleOf } from '../../parts/words/action-titles.ts';

/** Value that means all action types. */
export const everyType = '*';

export function formatActionType(actionType: string): string {
  return actionType === everyType ? 'every action type' : quotedTitleOf(actionType);
}

/** Describes the result of an uploaded file: `12 users added of 15 rows`, `the list has 12 users now`. */
export function describeUpload({ state, mode, people, rows, rejected, cause }: SuppressionUpload): string {
  if (state === 'receiving') return `receiving, ${countOf(rows, 'row')} so far`;
  if (state === 'failed') {
    const kept = mode === 'replace' ? 'the list is unchanged' : `${countOf(people, 'user')} added before`;
    return `${cause ?? 'it failed'}; ${kept}`;
  }
  if (mode === 'replace') return `the list has ${countOf(people, 'user')} now`;
  return `${countOf(people, 'user')} added of ${countOf(rows - rejected, 'row')}`;
}

/** Returns `Calls claimed before may still start within 30 s.`; empty if no call can be claimed. */
export function describeLastCall(withinMs: number | null): string {
  return withinMs === null ? '' : `Calls claimed before may still start within ${formatDuration(withinMs)}.`;
}

/** Parses typed or pasted ids: one per line, or separated by commas or blanks. */
export function parseUserIds(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((user) => user !== ''))];
}
