/** Kinds of rows of ended runs, from personal data to figures. */
export type KeptKind = 'users' | 'receipts' | 'steps' | 'failures';

export interface WeekChange {
  /** Weeks of which at least one table was created or dropped. */
  weeks: number;
  /** 1 if a long-running reader ended the round before all weeks were changed; otherwise 0. */
  heldUp: number;
}

export interface FailedCount {
  runId: string;
  err: unknown;
}

export interface ReceiptCounts {
  /** Runs whose count was tried. */
  runs: number;
  /** Those of `runs` whose count failed. They are tried again in five minutes. */
  failed: readonly FailedCount[];
}

/**
 * Retention of old rows of the execution path. The rows of all feeds that began in the same week are dropped together,
 * when all their runs ended long enough ago. Personal data is dropped first, figures last. A run that has not ended
 * keeps the rows of its whole week.
 */
export interface Retention {
  /** Creates the partitions of the coming weeks. Safe to repeat. */
  makeAhead(): Promise<WeekChange>;
  /**
   * Stops accepting receipts for runs that ended more than `days` ago, because a receipt whose row was deleted would
   * count twice. Returns the number of runs, at most `limit`.
   */
  closeReceipts(days: number, limit: number): Promise<number>;
  /**
   * Counts how many receipts of closed runs belong to failed users, and stores the numbers, so that the figures remain
   * after the rows are deleted.
   *
   * Tries at most `limit` runs; a run whose count fails does not delay others. Skips runs that were closed less than
   * five minutes ago, because statements that began earlier may still write receipts. If a person settles users of a
   * run, its receipts are counted again.
   */
  countReceipts(limit: number): Promise<ReceiptCounts>;
  /**
   * Drops the weeks whose runs all ended more than `days` ago. Steps are kept as long as the texts with their users,
   * and a step that was dropped can never be claimed again. Receipts and failures are kept until the receipts of all
   * runs of the week are counted.
   */
  dropWeeks(kind: KeptKind, days: number): Promise<WeekChange>;
  /**
   * Deletes rows outside all weekly partitions, of runs that ended more than `days` ago. Such rows were written when no
   * partition existed. Returns the number of rows, at most `limit`.
   */
  deleteStrays(kind: KeptKind, days: number, limit: number): Promise<number>;
  /**
   * Deletes runs that ended more than `days` ago, with their feeds, events and figures. Returns the number of runs, at
   * most `limit`. Call after deleting their strays and dry rows, which can only be found through their runs.
   */
  deleteRuns(days: number, limit: number): Promise<number>;
  /** Deletes rows of dry runs that ended over `days` ago, but not their figures. Returns how many, up to `limit`. */
  deleteDryRows(days: number, limit: number): Promise<number>;
  /** Deletes stored answers by idempotency key older than `days`. Returns their number, at most `limit`. */
  deleteAnswers(days: number, limit: number): Promise<number>;
  /** Deletes lists older than `days` that no scheduled or running campaign uses. Returns how many, up to `limit`. */
  deleteAudiences(days: number, limit: number): Promise<number>;
  /**
   * Deletes the records of suppression uploads that ended more than `days` ago. The users on the lists stay. Returns
   * the number of deleted records, at most `limit`.
   */
  deleteSuppressionUploads(days: number, limit: number): Promise<number>;
  /**
   * Deletes the users and figures of suppression lists that were replaced. Returns the number of deleted users, at most
   * `limit`.
   */
  deleteReplacedPeople(limit: number): Promise<number>;
  /** Fails uploads that reported nothing for minutes: their process has died. Returns their number. */
  failLostUploads(): Promise<number>;
  deleteDeadLetters(days: number, limit: number): Promise<number>;
  /** Deletes audit log entries older than `days`, at least 30, oldest first. Returns their number, at most `limit`. */
  deleteChanges(days: number, limit: number): Promise<number>;
  /** Deletes expired sessions and log-in links, at most `limit`. Returns their number. */
  deleteSessions(limit: number): Promise<number>;
}
