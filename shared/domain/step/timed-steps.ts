/** A step that waits. What is due soon, its worker keeps in mind and claims by itself: the agenda is the net. */
export interface Waits {
  delayMs: number;
  /** What it waits for; null where it was merely released, to any worker that has room. */
  cause?: string | null;
}

/** @param timedWithinMs nothing is timed when undefined */
export function isTimed({ delayMs, cause }: Waits, timedWithinMs: number | undefined): boolean {
  return timedWithinMs !== undefined && cause !== null && delayMs <= timedWithinMs;
}

/**
 * How long after it is due the agenda offers it. What a worker times it may have in its queue for as long as it waited
 * at most: its worker is gone where it is not claimed by then, or has no room.
 */
export function agendaGraceMs(waits: Waits, timedWithinMs: number | undefined): number {
  return timedWithinMs !== undefined && isTimed(waits, timedWithinMs) ? timedWithinMs : 0;
}
