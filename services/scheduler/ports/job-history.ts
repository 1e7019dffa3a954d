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
  /** Number of times that a reader of a table held up days; they are tried again in minutes. */
  heldUp: number;
}

export interface JobHistory {
  /** Creates the tables of coming days and drops old days and dead jobs. Waits for no reader. Safe to repeat. */
  keep(terms: HistoryTerms): Promise<HistoryKept>;
}
