import { digestOfLost } from '../../../shared/domain/step/lost-users.ts';
import { reasons } from '../../../shared/domain/step/reasons.ts';
import { usersOf } from '../../../shared/domain/step/users-text.ts';
import type { ChildBatch, StepDone, UserFailure } from '../../../shared/ports/step-ledger.ts';
import type { Work } from '../work.ts';

/** Lost before, failed now, or gone on as a child batch. */
export function lostAfter({ lost }: Work, { failures, children }: Pick<StepDone, 'failures' | 'children'>) {
  if (failures.length === 0 && children.length === 0) return lost;
  return [...lost, ...failures.map(({ user }) => user), ...children.flatMap(({ users }) => users)];
}

/** A step with its final word: its failures, what goes on as child batches, and everybody else as served. */
export function doneResult(work: Work, failures: UserFailure[], children: ChildBatch[]): StepDone {
  const { claim, context, count, lost } = work;
  const { feedId, batchNo, step, epoch, attempts } = claim;
  const lostNow = lostAfter(work, { failures, children });
  return {
    feedId,
    batchNo,
    step,
    epoch,
    state: 'done',
    rest: 'succeeded',
    restUsers: count - (lostNow.length - lost.length),
    lostDigest: step < context.chain.length ? digestOfLost(lostNow) : null,
    failures,
    attempts: attempts + 1,
    refused: 0,
    children,
  };
}

/** The same for all of its users, without a call that counts as an attempt. */
export function uncalledResult(work: Work, rest: StepDone['rest']): StepDone {
  return { ...doneResult(work, [], []), rest, attempts: work.claim.attempts };
}

/** In parts, which go on at once. Nothing was applied, so no attempt is used up. */
export function splitResult(work: Work, parts: readonly (readonly string[])[]): StepDone {
  const { attempts, open } = work.claim;
  const children = parts
    .filter((users) => users.length > 0)
    .map((users): ChildBatch => ({ users, delayMs: 0, attempts, open, claim: true }));
  return { ...doneResult(work, [], children), attempts };
}

export function halvedResult(work: Work): StepDone {
  const users = usersOf(work.users);
  const middle = Math.ceil(users.length / 2);
  return splitResult(work, [users.slice(0, middle), users.slice(middle)]);
}

/** An open key that can no longer be settled: that nothing happened cannot be said. */
export function unknownResult(work: Work, cause: string | null): StepDone {
  const users = usersOf(work.users);
  const failures = users.map((user) => unknownFailure(user, reasons.ambiguousAnswer, cause));
  return { ...doneResult(work, failures, []), attempts: work.claim.attempts };
}

/** All of its users were refused: people or parameters, for good. */
export function refusedUsersResult(work: Work, code: string): StepDone {
  const failures = usersOf(work.users).map((user): UserFailure => {
    return { user, outcome: 'failed', reason: code, detail: null };
  });
  return { ...doneResult(work, failures, []), refused: failures.length };
}

export function unknownFailure(user: string, reason: string, detail: string | null): UserFailure {
  return { user, outcome: 'unknown', reason, detail };
}
