import { releasedResult } from '../step/step-results.ts';
import type { Work } from '../step/work.ts';
import type { Gate, Ruling } from './gate.ts';

/**
 * Gate for a step with a fault that a person must fix. From time to time, a trial call is due. Batches then pass this
 * gate, and the first of them that may be called makes the trial call (fault-try.ts).
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
  return fault !== null && !fault.tryDue ? releasedResult(work, 0, null) : null;
}
