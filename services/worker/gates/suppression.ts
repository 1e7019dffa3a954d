import { reasons } from '../../../shared/domain/step/reasons.ts';
import { suppressionDetail, type SuppressedUser } from '../../../shared/domain/step/suppressions.ts';
import type { UserFailure } from '../../../shared/ports/step-ledger.ts';
import { withheldResult } from '../step/step-results.ts';
import type { Work } from '../step/work.ts';
import type { Gate, Ruling } from './gate.ts';

/**
 * Gate for suppression lists. The claim has searched the lists for its users. Users on a list end in this step, without
 * a call. The other users continue as a child batch with a key of its own: lists change, but every call under the same
 * key must have the same users.
 */
export const suppression: Gate = {
  name: 'suppression',
  claimed: (work) => (work.claim.suppressed === undefined ? null : withhold(work, work.claim.suppressed)),
};

function withhold(work: Work, listed: readonly SuppressedUser[]): Ruling {
  // A list may also contain users who were lost in an earlier step; they have already ended.
  const lost = new Set(work.lost);
  const suppressed = listed.filter(({ user }) => !lost.has(user));
  if (suppressed.length === 0) return null;
  // The other users become a child batch. If the step has a check, this result does not claim the child batch, because
  // the check needs a claim of its own.
  const isChecked = work.context.chain[work.claim.step - 1]?.check !== undefined;
  return withheldResult(work, failuresOf(suppressed), !isChecked);
}

function failuresOf(suppressed: readonly SuppressedUser[]): UserFailure[] {
  return suppressed.map(({ user, list, note }) => {
    return { user, outcome: 'suppressed', reason: reasons.suppressionList, detail: suppressionDetail(list, note) };
  });
}
