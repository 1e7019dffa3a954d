/** What is kept of runs that have ended, from what identifies people to what does not. */
export type KeptKind = 'users' | 'receipts' | 'steps' | 'failures';

/** The result of making or dropping weeks. */
export interface WeekChange {
  /** Weeks of which at least one table was made or dropped. */
  weeks: number;
  /** 1 if a reader of a table ended the round before all weeks were changed, else 0. */
  heldUp: number;
}

/** A run whose receipts could not be counted. */
export interface FailedCount {
  runId: string;
  err: unknown;
}

export interface ReceiptCounts {
  /** Runs whose count was tried. */
  runs: number;
  /** Those of them whose count is tried again in five minutes. */
  failed: readonly FailedCount[];
}

/**
 * Old rows of the execution path. All batches, receipts, steps and failures of the feeds that began in the same week
 * leave together, when every run of them ended long enough ago: what identifies people first, figures last. A run that
 * has not ended keeps all of its week.
 */
export interface Retention {
  /** Makes room for the feeds of the coming weeks. Safe to repeat. */
  makeAhead(): Promise<WeekChange>;
  /**
   * Closes runs that ended more than `days` ago for further receipts; returns how many, at most `limit`. A receipt that
   * came after its row was deleted would count twice.
   */
  closeReceipts(days: number, limit: number): Promise<number>;
  /**
   * Counts and stores how many receipts of closed runs are of users that failed, so that the figures stay when receipts
   * or failures go. Tries at most `limit` runs; one whose count fails holds up no other. Runs that were closed less
   * than five minutes ago are left for later: a statement that read them as open may still be writing receipts. A
   * settlement closes a counted run again, and it is counted anew.
   */
  countReceipts(limit: number): Promise<ReceiptCounts>;
  /**
   * Drops the weeks whose runs all ended more than `days` ago. Steps stay as long as their users' texts do, and a
   * dropped step can never be claimed anew. Receipts stay until those of all runs of the week are counted, and so do
   * failures.
   */
  dropWeeks(kind: KeptKind, days: number): Promise<WeekChange>;
  /**
   * Deletes rows that lie in no week, because none had been made, of runs that ended more than `days` ago; returns how
   * many, at most `limit`.
   */
  deleteStrays(kind: KeptKind, days: number, limit: number): Promise<number>;
  /**
   * Deletes runs that ended more than `days` ago, with their feeds, events and figures; returns how many, at most
   * `limit`. Strays and dry rows of these runs have to be deleted before: they cannot be found without their runs.
   */
  deleteRuns(days: number, limit: number): Promise<number>;
  /**
   * Deletes users, steps and suppressed users of dry runs that ended more than `days` ago; their figures stay. Returns
   * how many rows, at most `limit`.
   */
  deleteDryRows(days: number, limit: number): Promise<number>;
  /** Deletes answers by idempotency key of more than `days` ago; returns how many, at most `limit`. */
  deleteAnswers(days: number, limit: number): Promise<number>;
  /**
   * Deletes uploaded lists of more than `days` ago that no campaign which is scheduled or runs names; returns how many,
   * at most `limit`.
   */
  deleteAudiences(days: number, limit: number): Promise<number>;
  /**
   * Deletes records of uploads to suppression lists that ended more than `days` ago; the people stay on their list.
   * Returns how many, at most `limit`.
   */
  deleteSuppressionUploads(days: number, limit: number): Promise<number>;
  /**
   * Deletes people of suppression lists that others have taken the place of, and the numbers of those lists; returns
   * how many people, at most `limit`.
   */
  deleteReplacedPeople(limit: number): Promise<number>;
  /**
   * Uploads that nothing was heard of for minutes have failed: the process that received them has died. Returns how
   * many.
   */
  failLostUploads(): Promise<number>;
  deleteDeadLetters(days: number, limit: number): Promise<number>;
  /**
   * Deletes entries of the audit log of more than `days` ago, 30 at least, the oldest first; returns how many, at most
   * `limit`.
   */
  deleteChanges(days: number, limit: number): Promise<number>;
  /** Deletes sessions and log-in links that are over; returns how many, at most `limit`. */
  deleteSessions(limit: number): Promise<number>;
}
