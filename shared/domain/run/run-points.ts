/**
 * Spacing of the points in a run's history: five seconds at first, doubled whenever there would be more points than a
 * chart can show. A run of an hour has a point every 5 s, a run of a week one every 21 minutes.
 */

/** Closer points would show single batches. */
export const firstGapMs = 5000;

/** Maximum number of points of a run, excluding the point at its end. */
export const maxPoints = 720;

/**
 * Position of a point: the number of `firstGapMs` gaps since the run began, rounded down to a multiple of `stride`.
 * Points whose position is not a multiple of `stride` have been deleted by then.
 */
export interface PointPlace {
  slot: number;
  stride: number;
}

/**
 * Returns the position of a point.
 * @param elapsedMs since the run began
 */
export function pointPlaceOf(elapsedMs: number): PointPlace {
  const stride = 2 ** Math.max(0, Math.ceil(Math.log2(elapsedMs / (maxPoints * firstGapMs))));
  return { slot: Math.floor(elapsedMs / (firstGapMs * stride)) * stride, stride };
}

/** Returns the distance of points in a run of this duration, in milliseconds. */
export function pointGapMs(elapsedMs: number): number {
  return pointPlaceOf(elapsedMs).stride * firstGapMs;
}
