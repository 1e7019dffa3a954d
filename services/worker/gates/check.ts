import type { Work } from '../step/work.ts';
import type { Gate } from './gate.ts';

/** An endpoint of another team decides about the users of the step first (checks.ts). */
export const check: Gate = {
  name: 'check',
  claimed: (work) => (isToBeAsked(work) ? 'check' : null),
  // Each claim asks anew which users the check refuses.
  nextStep: ({ context, claim }, { directory }) =>
    directory.checkOf({ feedId: context.feedId, step: claim.step + 1 }) !== null,
  withholds: (step, { directory }) => directory.checkOf(step) !== null,
};

/** If quiet hours drop users, steps without a check are claimed like those with one. */
function isToBeAsked({ claim, context }: Work): boolean {
  return claim.check !== undefined && context.chain[claim.step - 1]?.check !== undefined;
}
