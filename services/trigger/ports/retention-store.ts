/**
 * Kinds of rows of ended runs. The order is that of their deletion: personal data first, figures last. Effects are kept
 * as long as caps may count them.
 */
export type KeptKind = 'users' | 'receipts' | 'steps' | 'failures' | 'effects';

export interface WeekChange {
  /** Number of weeks for which at least one table was created or dropped. */
  weeks: number;
  /** 1 if a long-running reader blocked the change of a week, so that this call stopped; otherwise 0. */
  heldUp: number;
}

export interface FailedCount {
  runId: string;
  err: unknown;
}

export interface ReceiptCounts {
  /** Number of runs whose receipts this call tried to count. */
  runs: number;
  /** The runs among them whose count failed. They are tried again in five minutes. */
  failed: readonly FailedCount[];
}

/**
 * Deletes old rows of the execution path. The rows of all feeds that began in the same week are dropped together, when
 * all their runs ended long enough ago. Personal data is dropped first, figures last. As long as a run of a week has
 * not ended, the rows of the whole week are kept.
 */
export interface Retention {
  /** Creates the partitions of the coming weeks. May be repeated. */
  makeAhead(): Promise<WeekChange>;
  /**
   * Returns the days after the end of their runs for which effects are kept: one more than the longest cap in force
   * counts, and at least one.
   */
  effectDays(): Promise<number>;
  /**
   * Makes the API refuse receipts for runs that ended more than `days` ago, because a receipt whose row was deleted
   * would count twice. Returns the number of runs, at most `limit`.
   */
  closeReceipts(days: number, limit: number): Promise<number>;
  /**
   * Counts how many receipts of closed runs belong to failed users, and stores the numbers, because the rows will be
   * deleted. Tries at most `limit` runs; a run whose count fails does not delay others. Skips runs that were closed
   * less than five minutes ago, because statements that began before may still write receipts. If a person settles
   * users of a run, its receipts are counted again.
   */
  countReceipts(limit: number): Promise<ReceiptCounts>;
  /**
   * Drops the partitions of weeks whose runs all ended more than `days` ago. A step whose row was dropped could be
   * claimed again, so steps are kept as long as the batches with their users. Receipts and failures are kept until the
   * receipts of all runs of the week are counted.
   */
  dropWeeks(kind: KeptKind, days: number): Promise<WeekChange>;
  /**
   * Deletes rows of runs that ended more than `days` ago from the default partitions. Rows are in these if there was no
   * partition for their week. Returns the number of rows, at most `limit`.
   */
  deleteStrays(kind: KeptKind, days: number, limit: number): Promise<number>;
  /**
   * Deletes runs that ended more than `days` ago, with their feeds, events and figures. Returns the number of runs, at
   * most `limit`. `deleteStrays` and `deleteDryRows` must come before, because they find rows through their runs.
   */
  deleteRuns(days: number, limit: number): Promise<number>;
  /**
   * Deletes the rows of dry runs that ended more than `days` ago, but not their figures. Returns the number of rows, at
   * most `limit`.
   */
  deleteDryRows(days: number, limit: number): Promise<number>;
  /**
   * Deletes the API's stored answers, by idempotency key, that are older than `days`. Returns their number, at most
   * `limit`.
   */
  deleteAnswers(days: number, limit: number): Promise<number>;
  /**
   * Deletes uploaded lists older than `days` that no scheduled or running campaign uses. Returns their number, at most
   * `limit`.
   */
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
  /**
   * Marks uploads as failed that have reported nothing for minutes, because their process has died. Returns their
   * number.
   */
  failLostUploads(): Promise<number>;
  deleteDeadLetters(days: number, limit: number): Promise<number>;
  /**
   * Deletes audit log entries that are older than `days` (at least 30), oldest first. Returns their number, at most
   * `limit`.
   */
  deleteChanges(days: number, limit: number): Promise<number>;
  /** Deletes expired sessions and log-in links, at most `limit` of each. Returns their number. */
  deleteSessions(limit: number): Promise<number>;
}
