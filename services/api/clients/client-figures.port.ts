/** What is counted of a client's jobs. */
export interface JobCounts {
  accepted: number;
  /** Not ended: pending, firing or sidelined. */
  stored: number;
}

export interface MinuteCalls {
  /** Its beginning, milliseconds since 1970. */
  atMs: number;
  calls: number;
}

export interface MinuteForecast {
  /** Minutes in which something is due, in their order. */
  minutes: MinuteCalls[];
  /** Of the 64 partitions, how many were counted: below 64 the calls are an estimate. */
  partitions: number;
}

/** Figures of clients, by what is stored. */
export interface ClientFigures {
  /** Those that never had a job are left out. */
  counts(clientIds: readonly string[]): Promise<ReadonlyMap<string, JobCounts>>;
  /**
   * Jobs of a client that are due in so many hours from now, by minute. Reads a bounded number of rows: few jobs are counted, many are
   * estimated from some partitions.
   */
  forecast(clientId: string, hours: number): Promise<MinuteForecast>;
}
