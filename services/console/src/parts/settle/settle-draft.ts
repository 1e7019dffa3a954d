import { asFound, type ColumnChoice } from '../file-preview/column-choice.ts';
import type { SettleRequest } from './use-settlements.ts';
import { narrowed, unknownUsers, type UnknownLine, type Wanted } from './unknown-lines.ts';

/** Who says how it ended: a status endpoint, a file of whoever keeps the books, or a person. */
export type Way = 'status' | 'file' | 'hand';

/** What a person has said so far; each way keeps its own while another is looked at. */
export interface SettleDraft {
  wanted: Wanted;
  file: File | null;
  columns: ColumnChoice;
  hand: {
    userId: string;
    /** Null: the first step in which somebody is unknown. */
    step: number | null;
    outcome: 'succeeded' | 'failed';
    code: string;
    country: string | null;
  };
}

export const emptyDraft: SettleDraft = {
  wanted: { step: null, country: null },
  file: null,
  columns: asFound,
  hand: { userId: '', step: null, outcome: 'succeeded', code: '', country: null },
};

/**
 * Returns the request to the API; null while something is missing.
 * @param acceptRejected rejected lines of the file that may be left out
 */
export function requestOf(
  way: Way,
  draft: SettleDraft,
  lines: Lines,
  acceptRejected: number | null = null,
): SettleRequest | null {
  const { wanted, file, columns, hand } = draft;
  if (way === 'file') return file && { file, columns, acceptRejected };
  if (way === 'status') {
    return askedUsers(draft, lines) === 0 ? null : { by: 'status', ...given(wanted) };
  }
  const { userId, outcome, code, country } = hand;
  const step = hand.step ?? lines.unknown[0]?.step;
  // An id may begin or end with a space: it is sent as it was typed.
  if (userId === '' || step === undefined) return null;
  const reason = outcome === 'failed' && code.trim() !== '' ? { code: code.trim() } : {};
  return { by: 'hand', userId, step, outcome, ...reason, ...given({ step: null, country }) };
}

export interface Lines {
  unknown: readonly UnknownLine[];
  /** Of which a status endpoint can be asked. */
  askable: readonly UnknownLine[];
}

export function askedUsers({ wanted }: Pick<SettleDraft, 'wanted'>, { askable }: Pick<Lines, 'askable'>): number {
  return unknownUsers(narrowed(askable, wanted));
}

function given({ step, country }: Wanted): { step?: number; country?: string } {
  return { ...(step !== null && { step }), ...(country !== null && { country }) };
}
