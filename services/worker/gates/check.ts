import type { Work } from '../step/work.ts';
import type { Gate } from './gate.ts';

/** Gate for the check: an endpoint of another team decides about the users of the step first (checks.ts). */
export const check: Gate = {
  name: 'check',
  claimed: (work) => (needsCheck(work) ? 'check' : null),
  // Each claim requests anew which users the check refuses.
  nextStep: ({ context, claim }, { directory }) =>
    directory.checkOf({ feedId: context.feedId, step: claim.step + 1 }) !== null,
  withholds: (step, { directory }) => directory.checkOf(step) !== null,
};

/** True if the claim waits for a check. If quiet hours drop users, steps without one are claimed likewise. */
function needsCheck({ claim, context }: Work): boolean {
  return claim.check !== undefined && context.chain[claim.step - 1]?.check !== undefined;
}
