/**
 * Why a step of a feed is held. Each kind is a row of its own, so that none ends another:
 *
 * | kind          | begins                                             | ends                                              |
 * | ------------- | -------------------------------------------------- | ------------------------------------------------- |
 * | `fault`       | the endpoint refuses the configuration or the step | a batch that is tried after a person mended it    |
 * | `quiet-hours` | a batch meets quiet hours that wait                | the clock, or a change of the rules               |
 */
export type HoldKind = 'fault' | 'quiet-hours';

/** Delay of a batch that was put back for a hold which has ended meanwhile: by then workers know what is quiet now. */
export const liftedRetryMs = 1000;

/** One batch of a step with a fault is tried this often. */
export const tryHeldEveryMs = 30_000;
