/** Retention of ended jobs. 0 days means for ever. */
export interface HistoryTerms {
  historyDays: number;
  /** Days for dead jobs of clients without a setting of their own. */
  deadDays: number;
}

export interface HistoryKept {
  daysMade: number;
  daysDropped: number;
  deadExpired: number;
  /**
   * Number of table partitions that could not be created or removed because of a long-running reader. The caller tries
   * again a few minutes later.
   */
  heldUp: number;
}

export interface JobHistory {
  /**
   * Creates the table partitions of coming days, and drops old partitions and dead jobs. Does not wait for readers. May
   * be repeated.
   */
  keep(terms: HistoryTerms): Promise<HistoryKept>;
}
