import { detectedColumns, type ColumnChoice } from '../file-preview/column-choice.ts';
import type { SettleRequest } from './use-settlements.ts';
import { filterLines, unknownUsers, type UnknownLine, type LineFilter } from './unknown-lines.ts';

/** Source of the outcomes: a status endpoint, a file from the team that keeps the records, or a person. */
export type SettleWay = 'status' | 'file' | 'hand';

/** Input of the dialog. Each way keeps its input while the user looks at another. */
export interface SettleDraft {
  wanted: LineFilter;
  file: File | null;
  columns: ColumnChoice;
  hand: {
    userId: string;
    /** Step of the users; null means the first step with unknown users. */
    step: number | null;
    outcome: 'succeeded' | 'failed';
    code: string;
    country: string | null;
  };
}

export const emptyDraft: SettleDraft = {
  wanted: { step: null, country: null },
  file: null,
  columns: detectedColumns,
  hand: { userId: '', step: null, outcome: 'succeeded', code: '', country: null },
};

/**
 * Returns the request to the API; null while required input is missing.
 * @param acceptRejected rejected lines of the file that may be skipped
 */
export function requestOf(
  way: SettleWay,
  draft: SettleDraft,
  lines: SettleLines,
  acceptRejected: number | null = null,
): SettleRequest | null {
  const { wanted, file, columns, hand } = draft;
  if (way === 'file') return file && { file, columns, acceptRejected };
  if (way === 'status') {
    return usersToRequest(draft, lines) === 0 ? null : { by: 'status', ...given(wanted) };
  }
  const { userId, outcome, code, country } = hand;
  const step = hand.step ?? lines.unknown[0]?.step;
  // The id is not trimmed: an id may begin or end with a space.
  if (userId === '' || step === undefined) return null;
  const reason = outcome === 'failed' && code.trim() !== '' ? { code: code.trim() } : {};
  return { by: 'hand', userId, step, outcome, ...reason, ...given({ step: null, country }) };
}

export interface SettleLines {
  unknown: readonly UnknownLine[];
  askable: readonly UnknownLine[];
}

export function usersToRequest(
  { wanted }: Pick<SettleDraft, 'wanted'>,
  { askable }: Pick<SettleLines, 'askable'>,
): number {
  return unknownUsers(filterLines(askable, wanted));
}

function given({ step, country }: LineFilter): { step?: number; country?: string } {
  return { ...(step !== null && { step }), ...(country !== null && { country }) };
}
