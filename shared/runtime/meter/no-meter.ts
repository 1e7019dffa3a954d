import type { Meter } from '../../ports/meter.ts';

const ignore = { add: () => undefined, set: () => undefined, observe: () => undefined };
const metric = { of: () => ignore };

/** Meter that counts nothing, for one-shot commands and tests that ignore figures. */
export const noMeter: Meter = {
  counter: () => metric,
  gauge: () => metric,
  histogram: () => metric,
};
