/**
 * Where the points of a run's history lie: five seconds apart at first, and twice as far whenever there would be more
 * of them than a chart has room for. So a run of an hour has a point every 5 s, a run of a week one every 21 minutes.
 */

/** Closer ones would show single batches. */
export const firstGapMs = 5000;

/** Of a run, at most, but for the one of its end. */
export const maxPoints = 720;

/**
 * Gaps of `firstGapMs` since the run began, rounded down to a multiple of `stride`: points whose slot is none have gone
 * by then.
 */
export interface PointPlace {
  slot: number;
  stride: number;
}

/** @param elapsedMs since the run began */
export function pointPlaceOf(elapsedMs: number): PointPlace {
  const stride = 2 ** Math.max(0, Math.ceil(Math.log2(elapsedMs / (maxPoints * firstGapMs))));
  return { slot: Math.floor(elapsedMs / (firstGapMs * stride)) * stride, stride };
}

/** How far apart points lie in a run that has gone on for so long. */
export function pointGapMs(elapsedMs: number): number {
  return pointPlaceOf(elapsedMs).stride * firstGapMs;
}
