import { consequenceOfStatus, type StatusReading } from '../../../shared/domain/step/consequences.ts';
import { usersOf } from '../../../shared/domain/step/users-text.ts';
import type { StepResult, UserFailure } from '../../../shared/ports/step-ledger.ts';
import type { UserStatus } from '../call/read-status.ts';
import { childrenOf } from './child-batches.ts';
import { doneResult } from './done-result.ts';
import { retryDelayMs, waitingResult, type ResultTerms } from './waiting-result.ts';
import type { Work } from '../work.ts';

/** `call`: the lost call was never applied and never will be; the same may be sent again, with the same key. */
export type StatusConsequence = { kind: 'call' } | { kind: 'record'; result: StepResult };

/**
 * What becomes of a class C step whose users were asked for. Users that were served or failed go on with this
 * recording. If all others are in one and the same state, the step itself goes on; else they are child batches: users
 * that were never served are called for at once under a key of their own, and users that are not settled yet are asked
 * for again.
 */
export function statusResult(
  work: Work,
  statuses: ReadonlyMap<string, UserStatus>,
  terms: ResultTerms,
): StatusConsequence {
  const { claim, type } = work;
  const isUsedUp = claim.attempts + 1 >= type.maxAttempts;
  const failures: UserFailure[] = [];
  const retried: string[] = [];
  const unserved: string[] = [];
  const unsettled: string[] = [];
  for (const user of usersOf(work.users)) {
    const status = statuses.get(user);
    switch (consequenceOfStatus(readingOf(status, isUsedUp))) {
      case 'succeed':
        break;
      case 'retry':
        retried.push(user);
        break;
      case 'send-again':
        unserved.push(user);
        break;
      case 'ask-status':
        unsettled.push(user);
        break;
      default:
        failures.push({ user, outcome: 'failed', reason: status?.code ?? 'unspecified', detail: null });
    }
  }
  if (unserved.length === work.count) return { kind: 'call' };
  const againMs = retryDelayMs(work, claim.epoch, terms);
  if (unsettled.length === work.count) {
    return { kind: 'record', result: waitingResult(work, againMs, true, 'the outcome is not settled yet') };
  }
  const { attempts } = claim;
  const children = [
    ...childrenOf(work, retried, {
      delayMs: retryDelayMs(work, attempts + 1, terms),
      open: false,
      attempts: attempts + 1,
    }),
    ...childrenOf(work, unserved, { delayMs: 0, open: false, attempts, claim: true }),
    ...childrenOf(work, unsettled, { delayMs: againMs, open: true, attempts }),
  ];
  return { kind: 'record', result: doneResult(work, failures, children) };
}

function readingOf(status: UserStatus | undefined, isUsedUp: boolean): StatusReading {
  if (status === undefined) return 'missing';
  if (status.status !== 'failed' || !status.retryable) return status.status;
  return isUsedUp ? 'used-up' : 'retryable';
}
