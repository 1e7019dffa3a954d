import type { Work } from '../step/work.ts';
import type { Gate } from './gate.ts';

/** Gate for the check: an endpoint of another team decides first which users of the step may be called (checks.ts). */
export const check: Gate = {
  name: 'check',
  claimed: (work) => (needsCheck(work) ? 'check' : null),
  // If the next step has a check, the step is claimed separately, because each claim requests the check anew.
  nextStep: ({ context, claim }, { directory }) =>
    directory.checkOf({ feedId: context.feedId, step: claim.step + 1 }) !== null,
  withholds: (step, { directory }) => directory.checkOf(step) !== null,
};

/**
 * Returns true if the claim waits for a check. If quiet hours drop users, `claim.check` is also set for steps without a
 * check.
 */
function needsCheck({ claim, context }: Work): boolean {
  return claim.check !== undefined && context.chain[claim.step - 1]?.check !== undefined;
}
