import type { RunEventKind } from '../../../shared/domain/run/run-events.ts';

export interface TroubleEvent {
  runId: string;
  kind: RunEventKind;
}

export interface RunPoint {
  runId: string;
  /** Users that have ended a step: succeeded, failed or unknown. */
  ended: number;
}

/** History of runs, for people: no decision depends on it. All methods are safe to repeat and to call concurrently. */
export interface RunHistory {
  /**
   * Records the progress of these runs, one point per slot (`run-points.ts`), however often it is called. Deletes
   * points that are too close for the run's duration. Returns the number of new points.
   */
  notePoints(points: readonly RunPoint[]): Promise<number>;
  /**
   * Records which troubles of these runs began or ended since the last call: open breakers ahead, steps with batches
   * but without a worker, held steps, and feeds that stalled twice in a row. Returns the recorded events.
   */
  noteTroubles(runIds: readonly string[]): Promise<TroubleEvent[]>;
}
