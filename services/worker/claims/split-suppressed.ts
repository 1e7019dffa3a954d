import { reasons } from '../../../shared/domain/step/reasons.ts';
import { suppressionDetail, type SuppressedUser } from '../../../shared/domain/step/suppressions.ts';
import type { UserFailure } from '../../../shared/ports/step-ledger.ts';
import { withheldResult } from '../step/withheld-result.ts';
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
    // Where the others are still to be checked, they are claimed for that.
    const isChecked = work.context.chain[work.claim.step - 1]?.check !== undefined;
    if (suppressed.length > 0) split.push({ work, result: withheldResult(work, failuresOf(suppressed), !isChecked) });
    return suppressed.length === 0;
  });
  return [callable, split];
}

function failuresOf(suppressed: readonly SuppressedUser[]): UserFailure[] {
  return suppressed.map(({ user, list, note }) => {
    return { user, outcome: 'suppressed', reason: reasons.suppressionList, detail: suppressionDetail(list, note) };
  });
}
