import type { RunEventKind } from '../../../shared/domain/run/run-events.ts';

/** Beginning or end of a trouble in a run's history. */
export interface TroubleEvent {
  runId: string;
  kind: RunEventKind;
}

/** Progress of a run at one moment. */
export interface RunPoint {
  runId: string;
  /** Users that have ended a step: succeeded, failed or unknown. */
  ended: number;
}

/** History of runs, for people: no decision depends on it. All methods are safe to repeat and to call concurrently. */
export interface RunHistory {
  /**
   * Records the progress of each of these runs that has begun and not ended. Each run gets one point per slot
   * (`run-points.ts`), however many triggers call and how often. Deletes points that are too close for the run's
   * duration. Returns the number of new points.
   */
  notePoints(points: readonly RunPoint[]): Promise<number>;
  /**
   * Records which troubles of these runs have begun or ended since the last call: open breakers of shards that users
   * still have to pass, steps with batches but without a worker, held steps, and feeds that stalled twice in a row.
   * Returns the recorded events.
   */
  noteTroubles(runIds: readonly string[]): Promise<TroubleEvent[]>;
}
