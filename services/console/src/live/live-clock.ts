/** The only clock the stream knows. */
export interface LiveClock {
  nowMs(): number;
  /** Returns early, without an error, when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}
