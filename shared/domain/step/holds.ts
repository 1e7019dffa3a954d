/**
 * Reasons why a step of a feed is held. Each kind is a row of its own, so that none ends another:
 *
 * | kind          | begins                                             | ends                                              |
 * | ------------- | -------------------------------------------------- | ------------------------------------------------- |
 * | `fault`       | the endpoint refuses the configuration or the step | a batch that is tried after a person fixed it     |
 * | `quiet-hours` | a batch meets quiet hours that wait                | the clock, or a change of the rules               |
 */
export type HoldKind = 'fault' | 'quiet-hours';

/**
 * Delay in milliseconds of a batch that a worker releases because of a hold, if the hold has ended in the meantime. By
 * the end of the delay, workers have read the current quiet hours.
 */
export const liftedRetryMs = 1000;

/** Interval in milliseconds at which one batch of a step with a fault is tried. */
export const tryHeldEveryMs = 30_000;
