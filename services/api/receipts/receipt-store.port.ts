/** What a provider says of one user: how what it accepted has ended. */
export interface Receipt {
  /** Of which call: the run, with the country where it is known, or the batch. A batch spares a search. */
  of: { runId: string; country: string | null } | { feedId: string; batchNo: number };
  step: number;
  /** Keeps the rules of user ids. */
  user: string;
  delivered: boolean;
  /** Why not, mostly. */
  code: string | null;
  /** When it happened, by the provider's clock, in whole milliseconds. */
  at: Date;
  /** Whose secret the receipt is signed with: only steps with this action type are meant. Null: any. */
  actionType: string | null;
}

/**
 * - `accepted`: it counts, or is older than what is known, or the same again.
 * - `unknown-run`, `unknown-step`, `unknown-user`: there is no such run, step or user in it.
 * - `other-action-type`: the step's action type is not the one whose secret it is signed with.
 * - `not-kept`: the run's users were dropped by retention since.
 */
export type ReceiptVerdict =
  'accepted' | 'unknown-run' | 'unknown-step' | 'unknown-user' | 'other-action-type' | 'not-kept';

export interface ReceiptFilter {
  step?: number | undefined;
  country?: string | undefined;
  delivered?: boolean | undefined;
}

/** What counts of one user in one step. */
export interface RecordedReceipt {
  user: string;
  step: number;
  country: string;
  delivered: boolean;
  code: string | null;
  at: Date;
  receivedAt: Date;
}
