import type { Work } from '../step/work.ts';
import type { Gate } from './gate.ts';

/**
 * Gate for the check: before the call, an endpoint of another team decides which users of the step may be called
 * (checks.ts).
 */
export const check: Gate = {
  name: 'check',
  claimed: (work) => (needsCheck(work) ? 'check' : null),
  // If the next step has a check, it needs a claim of its own, because each claim requests the check anew.
  nextStep: ({ context, claim }, { directory }) =>
    directory.checkOf({ feedId: context.feedId, step: claim.step + 1 }) !== null,
  withholds: (step, { directory }) => directory.checkOf(step) !== null,
};

/**
 * Returns true if the claim waits for a check. Only `claim.check` is not enough: it is also set for steps without a
 * check in quiet hours that drop users.
 */
function needsCheck({ claim, context }: Work): boolean {
  return claim.check !== undefined && context.chain[claim.step - 1]?.check !== undefined;
}
