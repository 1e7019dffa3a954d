import { capDetail, type CappedUser } from '../../../shared/domain/step/caps.ts';
import { reasons } from '../../../shared/domain/step/reasons.ts';
import { suppressionDetail, type SuppressedUser } from '../../../shared/domain/step/suppressions.ts';
import type { UserFailure } from '../../../shared/ports/step-ledger.ts';
import { withheldResult } from '../step/step-results.ts';
import type { Work } from '../step/work.ts';
import type { Gate, Ruling } from './gate.ts';

/**
 * Gate for suppression lists and caps. The claim has searched the lists for its users, and has reserved an effect for
 * each user that has not reached a cap. Users on a list, and users at a cap, end in this step, without a call. The
 * other users continue as a child batch with a key of its own: lists and caps change, but every call under the same key
 * must have the same users.
 */
export const suppression: Gate = {
  name: 'suppression',
  claimed: (work) => {
    const { suppressed = [], capped = [] } = work.claim;
    return suppressed.length + capped.length === 0 ? null : withhold(work, failuresOf(suppressed, capped));
  },
};

function withhold(work: Work, excluded: readonly UserFailure[]): Ruling {
  // A list may also contain users who were lost in an earlier step; they have already ended.
  const lost = new Set(work.lost);
  const suppressed = excluded.filter(({ user }) => !lost.has(user));
  if (suppressed.length === 0) return null;
  // The other users become a child batch. If the step has a check, this result does not claim the child batch, because
  // the check needs a claim of its own.
  const isChecked = work.context.chain[work.claim.step - 1]?.check !== undefined;
  return withheldResult(work, suppressed, !isChecked);
}

/** Returns the outcome of each user; a list comes before a cap. */
function failuresOf(listed: readonly SuppressedUser[], capped: readonly CappedUser[]): UserFailure[] {
  const ofLists = listed.map(({ user, list, note }): UserFailure => {
    return { user, outcome: 'suppressed', reason: reasons.suppressionList, detail: suppressionDetail(list, note) };
  });
  const onList = new Set(listed.map(({ user }) => user));
  const ofCaps = capped.flatMap((each): UserFailure[] => {
    const { user } = each;
    return onList.has(user) ? [] : [{ user, outcome: 'suppressed', reason: reasons.cap, detail: capDetail(each) }];
  });
  return [...ofLists, ...ofCaps];
}
