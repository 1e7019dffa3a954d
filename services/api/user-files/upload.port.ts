import type { RejectedRow } from '../../../shared/contracts/campaigns/uploaded-audiences.ts';

/** Rows of a part of a file, in any order, with repetitions. The three lists are parallel. */
export interface UploadRows {
  countries: readonly string[];
  users: readonly string[];
  /** Numbers of the lines in the file, ascending. If a user occurs several times, the first row decides the country. */
  lines: readonly number[];
}

/** Maximum number of rejected rows that are stored with their values. */
export const maxRejectsKept = 1000;

export interface UploadEnd {
  rows: number;
  rejected: number;
  rejects: readonly RejectedRow[];
}

/** Checks the counts of a file. Throws if more rows were rejected than the sender accepts. */
export type JudgeUpload = (end: UploadEnd) => void;

export interface Upload<Received> {
  /**
   * Adds rows.
   * @throws {BeyondQuotaError} if the rows so far exceed the quota of the account or of the installation
   */
  add(rows: UploadRows): Promise<void>;
  /**
   * Sorts rows, drops repetitions, rejects rows that repeat a user with another country, and makes the list ready in
   * one transaction. Resolves with undefined if another upload has replaced this one, which is then discarded.
   * @param judge receives the final counts before the list becomes ready; if it throws, nothing of the file is stored
   * @throws {BeyondQuotaError} if a quota is exceeded
   */
  finish(end: UploadEnd, judge?: JudgeUpload): Promise<Received | undefined>;
  /** Stores only the cause and the rejected rows. It may be called after a failed `add`. */
  fail(cause: string, end: UploadEnd): Promise<void>;
}
