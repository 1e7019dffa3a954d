import { budgetWaitMs } from '../../../shared/domain/run/budgets.ts';
import { usersOf } from '../../../shared/domain/step/users-text.ts';
import { childrenOf } from '../step/child-batches.ts';
import { doneResult } from '../step/done-result.ts';
import type { Work } from '../work.ts';
import type { Gate, Ruling } from './gate.ts';

/**
 * The budget of the campaign, which the claim reserved from. The last units go to as many users of a batch as they
 * suffice for: both parts become child batches and are claimed anew, the first one soon. No call was made.
 */
export const budget: Gate = {
  name: 'budget',
  claimed: (work) => (work.claim.fits === undefined ? null : splitBy(work, work.claim.fits)),
  nextStep: ({ context }, { directory }) => directory.unitsPerUser.has(context.feedId),
};

function splitBy(work: Work, fits: number): Ruling {
  const { attempts } = work.claim;
  const users = usersOf(work.users);
  const terms = { attempts, open: false };
  const children = [
    ...childrenOf(work, users.slice(0, fits), { ...terms, delayMs: 0 }),
    ...childrenOf(work, users.slice(fits), { ...terms, delayMs: budgetWaitMs }),
  ];
  return { ...doneResult(work, [], children), attempts };
}
