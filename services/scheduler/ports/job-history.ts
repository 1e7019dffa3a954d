/** Numbers of days for which ended jobs are kept. 0 means for ever. */
export interface HistoryTerms {
  historyDays: number;
  /** Days for which dead jobs are kept, if their client has no setting of its own. */
  deadDays: number;
}

export interface HistoryKept {
  daysMade: number;
  daysDropped: number;
  deadExpired: number;
  /**
   * Number of table partitions that could not be created or removed, because a long-running reader blocks the change.
   * The caller tries again some minutes later.
   */
  heldUp: number;
}

export interface JobHistory {
  /**
   * Creates the table partitions of the coming days, and removes old partitions and old dead jobs. Does not wait for
   * readers. May be repeated.
   */
  keep(terms: HistoryTerms): Promise<HistoryKept>;
}
