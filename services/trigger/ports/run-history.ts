import type { RunEventKind } from '../../../shared/domain/run/run-events.ts';

/** Something that began or ended, as a run's history tells it. */
export interface TroubleEvent {
  runId: string;
  kind: RunEventKind;
}

/** How far a run is, as its totals were a moment ago. */
export interface RunPoint {
  runId: string;
  /** Users that have ended a step: succeeded, failed or unknown. */
  ended: number;
}

/**
 * What is kept of how runs went, for people: nothing is decided by it. Each verb is safe to call by several at once,
 * and to repeat.
 */
export interface RunHistory {
  /**
   * Notes how far each of these runs is that has begun and not ended: one point in each of its slots
   * (`run-points.ts`), whichever trigger is asked and however often. Points that lie too close for how long the run
   * has gone on go. Returns how many were noted.
   */
  notePoints(points: readonly RunPoint[]): Promise<number>;
  /**
   * Tells the history of each of these runs that has begun and not ended what has come in its way since it was asked
   * last, and what is over: breakers of shards that its users have yet to pass, steps that no worker serves while
   * batches are in them, steps that are held, feeds whose next page was not to be had twice in a row. Returns what was
   * written.
   */
  noteTroubles(runIds: readonly string[]): Promise<TroubleEvent[]>;
}
