import type { RejectedRow } from '../../../shared/contracts/campaigns/uploaded-audiences.ts';

/** Rows of one part of a file, in any order, with repeats. The three lists are parallel. */
export interface UploadRows {
  countries: readonly string[];
  users: readonly string[];
  /** Line numbers in the file, ascending. If a user is repeated, its first row decides the country. */
  lines: readonly number[];
}

/** Maximum rejects that are stored with their values. */
export const maxRejectsKept = 1000;

export interface UploadEnd {
  rows: number;
  rejected: number;
  rejects: readonly RejectedRow[];
}

/** Throws if a file has more rejected rows than its sender accepts. */
export type JudgeUpload = (end: UploadEnd) => void;

export interface Upload<Received> {
  /** @throws {BeyondQuotaError} if the rows so far exceed the quota of the account or the installation */
  add(rows: UploadRows): Promise<void>;
  /**
   * Sorts rows, drops repeats, rejects users repeated in another country, and makes the list ready atomically. Resolves
   * with undefined if another upload has replaced this one, which is then discarded.
   * @param judge receives the final counts before the list is ready; if it throws, nothing of the file is stored
   * @throws {BeyondQuotaError}
   */
  finish(end: UploadEnd, judge?: JudgeUpload): Promise<Received | undefined>;
  /** Stores only the cause and the rejects. May be called after a failed `add`. */
  fail(cause: string, end: UploadEnd): Promise<void>;
}
