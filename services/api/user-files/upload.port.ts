import type { RejectedRow } from '../../../shared/contracts/campaigns/audiences.ts';

/** Rows of one part of a file, in any order, repeats included. The three lists run parallel. */
export interface UploadRows {
  countries: readonly string[];
  users: readonly string[];
  /** Lines in the file, ascending. If rows repeat a user, the first of them decides the country. */
  lines: readonly number[];
}

/** Rejects that are kept with their values. */
export const maxRejectsKept = 1000;

/** Counts of a file that was read. */
export interface UploadEnd {
  rows: number;
  rejected: number;
  /** The first rejected rows. */
  rejects: readonly RejectedRow[];
}

/** Throws if a file has more rejected rows than its sender accepts. */
export type JudgeUpload = (end: UploadEnd) => void;

/** A list that receives the rows of a file. */
export interface Upload<Received> {
  /** @throws {BeyondQuotaError} if the rows so far exceed the quota of the account or of the installation */
  add(rows: UploadRows): Promise<void>;
  /**
   * Sorts the rows, leaves out repeats, rejects rows that name a user again in another country, and makes the list
   * ready at once. Resolves with undefined if another upload has taken its place; nothing of this one stays then.
   * @param judge called with the final counts before anything is in force; if it throws, nothing of the file stays
   * @throws {BeyondQuotaError}
   */
  finish(end: UploadEnd, judge?: JudgeUpload): Promise<Received | undefined>;
  /** Keeps nothing but the cause and the rejects. Safe after an `add` that failed. */
  fail(cause: string, end: UploadEnd): Promise<void>;
}
