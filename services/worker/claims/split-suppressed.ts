import { reasons } from '../../../shared/domain/step/reasons.ts';
import { suppressionDetail, type SuppressedUser } from '../../../shared/domain/step/suppressions.ts';
import { usersOf } from '../../../shared/domain/step/users-text.ts';
import type { StepDone, UserFailure } from '../../../shared/ports/step-ledger.ts';
import { childrenOf } from '../step/child-batches.ts';
import { doneResult } from '../step/done-result.ts';
import type { FinishedStep, Work } from '../work.ts';

/**
 * Users on a suppression list end in this step; the others go on as a child batch under a key of its own, since what is
 * sent under a key is the same at every attempt, and lists change. No call was made. Whom the chain has lost before may
 * be on a list too, and is none of its business.
 */
export function splitSuppressed(works: readonly Work[]): [callable: readonly Work[], split: readonly FinishedStep[]] {
  if (works.every(({ claim }) => claim.suppressed === undefined)) return [works, []];
  const split: FinishedStep[] = [];
  const callable = works.filter((work) => {
    const lost = new Set(work.lost);
    const suppressed = (work.claim.suppressed ?? []).filter(({ user }) => !lost.has(user));
    if (suppressed.length > 0) split.push({ work, result: withoutUsers(work, suppressed) });
    return suppressed.length === 0;
  });
  return [callable, split];
}

function withoutUsers(work: Work, suppressed: readonly SuppressedUser[]): StepDone {
  const gone = new Set(suppressed.map(({ user }) => user));
  const failures = suppressed.map(({ user, list, note }): UserFailure => {
    return { user, outcome: 'suppressed', reason: reasons.suppressionList, detail: suppressionDetail(list, note) };
  });
  const left = usersOf(work.users).filter((user) => !gone.has(user));
  const { attempts } = work.claim;
  const children = childrenOf(work, left, { attempts, open: false, delayMs: 0, claim: true });
  return { ...doneResult(work, failures, children), attempts };
}
