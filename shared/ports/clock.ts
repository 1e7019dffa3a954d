/** The process's time. What is due and whose lease runs is decided by the database's clock, never by this one. */
export interface Clock {
  /** Wall clock, for what people read. */
  now(): Date;
  /** Milliseconds since some fixed moment; never goes back. */
  monotonicMs(): number;
  /** Resolves after `ms`, or as soon as the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
