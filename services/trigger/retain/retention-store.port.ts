/** What is kept of runs that have ended, from what identifies people to what does not. */
export type KeptKind = 'users' | 'steps' | 'failures';

/** What became of the weeks that were to be made or dropped. */
export interface WeekChange {
  /** How many were. */
  weeks: number;
  /** How many were left for later, because readers had their tables. */
  heldUp: number;
}

/**
 * Old rows of the execution path. All batches, steps and failures of the feeds that began in the same week leave
 * together, when every run of them ended long enough ago: what identifies people first, figures last. A run that has
 * not ended keeps all of its week.
 */
export interface Retention {
  /** Makes room for the feeds of the coming weeks. Safe to repeat. */
  makeAhead(): Promise<WeekChange>;
  /**
   * Drops the weeks whose runs all ended more than `days` ago. Steps stay as long as their users' texts do, and a
   * dropped step can never be claimed anew.
   */
  dropWeeks(kind: KeptKind, days: number): Promise<WeekChange>;
  /**
   * Deletes rows that lie in no week, because none had been made, of runs that ended more than `days` ago; returns how
   * many, at most `limit`.
   */
  deleteStrays(kind: KeptKind, days: number, limit: number): Promise<number>;
  /**
   * Deletes runs that ended more than `days` ago, with their feeds, events and figures; returns how many, at most
   * `limit`.
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
  /** Deletes people of suppression lists that others have taken the place of; returns how many, at most `limit`. */
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
