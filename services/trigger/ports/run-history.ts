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
   * Records the progress of these runs. Each time slot of a run (`run-points.ts`) gets at most one point, however often
   * this is called. The longer a run lasts, the wider its points are spaced: points that have become too close are
   * deleted. Returns the number of new points.
   */
  notePoints(points: readonly RunPoint[]): Promise<number>;
  /**
   * Records the troubles of these runs that began or ended since the last call. Troubles are: open breakers that
   * batches will reach, steps that have batches but no worker, held steps, and feeds that stalled twice in a row.
   * Returns the recorded events.
   */
  noteTroubles(runIds: readonly string[]): Promise<TroubleEvent[]>;
}
