/** Clock of the stream, which tests replace. */
export interface LiveClock {
  nowMs(): number;
  /** Resolves early, without an error, when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}
