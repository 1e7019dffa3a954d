/** What is kept of jobs that have ended. 0 days: for ever. */
export interface HistoryTerms {
  historyDays: number;
  /** Dead ones, of clients that do not say it themselves. */
  deadDays: number;
}

export interface HistoryKept {
  daysMade: number;
  daysDropped: number;
  deadExpired: number;
  /** Number of times that a reader of a table held days up; they are tried again in minutes. */
  heldUp: number;
}

export interface JobHistory {
  /**
   * Makes the days ahead that outcomes will be written to, drops those that are too old whole, and forgets dead jobs
   * that are. Waits for no reader. Safe to repeat.
   */
  keep(terms: HistoryTerms): Promise<HistoryKept>;
}
