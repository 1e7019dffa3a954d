import { reasons } from '../../../shared/domain/step/reasons.ts';
import { suppressionDetail, type SuppressedUser } from '../../../shared/domain/step/suppressions.ts';
import type { UserFailure } from '../../../shared/ports/step-ledger.ts';
import { withheldResult } from '../step/step-results.ts';
import type { Work } from '../step/work.ts';
import type { Gate, Ruling } from './gate.ts';

/**
 * Suppression lists, which the claim looked its users up in. Users on a list end in this step; the others go on as a
 * child batch under a key of its own, since what is sent under a key is the same at every attempt, and lists change. No
 * call was made.
 */
export const suppression: Gate = {
  name: 'suppression',
  claimed: (work) => (work.claim.suppressed === undefined ? null : withhold(work, work.claim.suppressed)),
};

function withhold(work: Work, listed: readonly SuppressedUser[]): Ruling {
  // Users that the chain has lost before may be on a list too, and have ended already.
  const lost = new Set(work.lost);
  const suppressed = listed.filter(({ user }) => !lost.has(user));
  if (suppressed.length === 0) return null;
  // If the others are still to be checked, they are claimed for that.
  const isChecked = work.context.chain[work.claim.step - 1]?.check !== undefined;
  return withheldResult(work, failuresOf(suppressed), !isChecked);
}

function failuresOf(suppressed: readonly SuppressedUser[]): UserFailure[] {
  return suppressed.map(({ user, list, note }) => {
    return { user, outcome: 'suppressed', reason: reasons.suppressionList, detail: suppressionDetail(list, note) };
  });
}
