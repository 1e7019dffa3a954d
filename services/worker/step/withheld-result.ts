import { usersOf } from '../../../shared/domain/step/users-text.ts';
import type { StepDone, UserFailure } from '../../../shared/ports/step-ledger.ts';
import type { Work } from '../work.ts';
import { childrenOf } from './child-batches.ts';
import { doneResult } from './done-result.ts';

/**
 * Some users end in this step without a call; the others go on as a child batch under a key of its own, since what is
 * sent under a key is the same at every attempt.
 * @param claim whether this worker goes on with them at once
 */
export function withheldResult(work: Work, failures: UserFailure[], claim: boolean): StepDone {
  const gone = new Set(failures.map(({ user }) => user));
  const left = usersOf(work.users).filter((user) => !gone.has(user));
  const { attempts } = work.claim;
  const children = childrenOf(work, left, { attempts, open: false, delayMs: 0, claim });
  return { ...doneResult(work, failures, children), attempts };
}
