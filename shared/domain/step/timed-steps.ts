/**
 * A waiting step. If the step is due soon, the worker that recorded it times and claims it; the agenda is the fallback.
 */
export interface Waits {
  delayMs: number;
  /** Cause of waiting; null if the step was merely released, for any worker with free capacity. */
  cause?: string | null;
}

/**
 * Returns whether the worker times the step itself.
 * @param timedWithinMs nothing is timed if undefined
 */
export function isTimed({ delayMs, cause }: Waits, timedWithinMs: number | undefined): boolean {
  return timedWithinMs !== undefined && cause !== null && delayMs <= timedWithinMs;
}

/**
 * Returns the milliseconds after the due time at which the agenda offers the step. A timed step may be in its worker's
 * queue for at most as long as it waited. If the worker has not claimed the step by then, the worker is gone or has no
 * capacity.
 */
export function agendaGraceMs(waits: Waits, timedWithinMs: number | undefined): number {
  return timedWithinMs !== undefined && isTimed(waits, timedWithinMs) ? timedWithinMs : 0;
}
