import type { RunEventKind } from '../../../shared/domain/run/run-events.ts';

export interface TroubleEvent {
  runId: string;
  kind: RunEventKind;
}

export interface RunPoint {
  runId: string;
  /** Number of times that a user has ended a step as succeeded, failed or unknown. */
  ended: number;
}

/**
 * History of runs, which is only displayed; no decision depends on it. All methods may be repeated and called
 * concurrently.
 */
export interface RunHistory {
  /**
   * Records the progress of these runs. A run is divided into time slots (`run-points.ts`), and each slot gets at most
   * one point, however often this is called. The longer a run lasts, the longer its slots become; points that are then
   * too close are deleted. Returns the number of new points.
   */
  notePoints(points: readonly RunPoint[]): Promise<number>;
  /**
   * Records the troubles of these runs that began or ended since the last call: open breakers of shards that batches
   * will reach, steps with batches but without a worker, held steps, and feeds that stalled twice in a row. Returns the
   * recorded events.
   */
  noteTroubles(runIds: readonly string[]): Promise<TroubleEvent[]>;
}
