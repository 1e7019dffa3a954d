import { budgetWaitMs } from '../../../shared/domain/run/budgets.ts';
import { usersOf } from '../../../shared/domain/step/users-text.ts';
import { childrenOf } from '../step/child-batches.ts';
import { doneResult } from '../step/done-result.ts';
import type { FinishedStep, Work } from '../work.ts';

/**
 * The last units of a budget go to as many users of a batch as they suffice for: both parts become child batches and
 * are claimed anew, the first one soon. No call was made.
 */
export function splitForBudgets(works: readonly Work[]): [affordable: readonly Work[], split: readonly FinishedStep[]] {
  if (works.every(({ claim }) => claim.fits === undefined)) return [works, []];
  const split = works.flatMap((work): FinishedStep[] => {
    const { fits, attempts } = work.claim;
    if (fits === undefined) return [];
    const users = usersOf(work.users);
    const terms = { attempts, open: false };
    const children = [
      ...childrenOf(work, users.slice(0, fits), { ...terms, delayMs: 0 }),
      ...childrenOf(work, users.slice(fits), { ...terms, delayMs: budgetWaitMs }),
    ];
    return [{ work, result: { ...doneResult(work, [], children), attempts } }];
  });
  return [works.filter(({ claim }) => claim.fits === undefined), split];
}
