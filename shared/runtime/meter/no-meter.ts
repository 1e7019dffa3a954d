import type { Meter } from '../../ports/meter.ts';

const ignore = { add: () => undefined, set: () => undefined, observe: () => undefined };
const metric = { of: () => ignore };

/** Counts nothing: for one-shot commands and tests that do not look at figures. */
export const noMeter: Meter = {
  counter: () => metric,
  gauge: () => metric,
  histogram: () => metric,
};
