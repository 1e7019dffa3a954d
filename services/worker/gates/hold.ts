import { putBackResult } from '../step/step-results.ts';
import type { Work } from '../step/work.ts';
import type { Gate, Ruling } from './gate.ts';

/**
 * Gate for a step with a fault that a person must fix. From time to time one batch is tried: batches proceed while a
 * try is due, and the first that may be called takes the try (fault-try.ts).
 */
export const hold: Gate = {
  name: 'hold',
  check: untilTry,
  call: (work) => (work.isProbe ? null : untilTry(work)),
  nextStep: ({ context, claim }, { directory }) =>
    directory.standingOf(context.feedId, claim.step + 1).fault.current !== null,
};

function untilTry(work: Work): Ruling {
  const fault = work.standing.fault.current;
  return fault !== null && !fault.tryDue ? putBackResult(work, 0, null) : null;
}
