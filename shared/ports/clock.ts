/** The clock of the process. The database's clock, never this one, decides about due work and leases. */
export interface Clock {
  /** Returns the wall-clock time, for times that people read. */
  now(): Date;
  /** Milliseconds since some fixed moment; never decreases. */
  monotonicMs(): number;
  /** Resolves after `ms`, or as soon as the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
