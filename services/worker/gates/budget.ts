import { budgetWaitMs } from '../../../shared/domain/run/budgets.ts';
import { usersOf } from '../../../shared/domain/step/users-text.ts';
import { dividedResult } from '../step/step-results.ts';
import type { Work } from '../step/work.ts';
import type { Gate, Ruling } from './gate.ts';

/**
 * Gate for the campaign's budget, from which the claim has reserved units. If the budget suffices for only some users
 * of a batch, the batch is split without a call. Both child batches are claimed anew, the affordable one soon.
 */
export const budget: Gate = {
  name: 'budget',
  claimed: (work) => (work.claim.fits === undefined ? null : splitBy(work, work.claim.fits)),
  nextStep: ({ context }, { directory }) => directory.unitsPerUser.has(context.feedId),
};

function splitBy(work: Work, fits: number): Ruling {
  const users = usersOf(work.users);
  return dividedResult(
    work,
    [],
    [
      { users: users.slice(0, fits), delayMs: 0, open: false, claim: false },
      { users: users.slice(fits), delayMs: budgetWaitMs, open: false, claim: false },
    ],
  );
}
