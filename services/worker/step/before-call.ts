import { wholeAnswerSettles, type ContractClass } from '../../../shared/domain/step/consequences.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { StepResult } from '../../../shared/ports/step-ledger.ts';
import { classOf } from '../call/contract-class.ts';
import { leaseOutlastsCall } from '../call/read-endpoint.ts';
import type { Admission } from '../claims/feed-directory.ts';
import { uncalledResult, unknownResult } from './done-result.ts';
import { mayStillBeApplied, putBackResult, waitingResult } from './waiting-result.ts';
import type { Work } from '../work.ts';

const suspectAgainMs = 1000;

/** Why a claimed step is not called now. */
export type NoCall =
  /** The chain has lost all of its users before. */
  | { kind: 'no-users' }
  /** Its run is paused, or its lease may end before the call: it can be claimed again at once. */
  | { kind: 'release' }
  | { kind: 'cancelled' }
  | { kind: 'expired' }
  /** Its key is open and can no longer be settled. */
  | { kind: 'unsettled'; cause: string }
  /** Class C: its call may still be applied. Asked before that, "not found" would be no promise. */
  | { kind: 'may-be-applied' }
  /** Its step of the run is held, with the cause: it is due whenever that is lifted. */
  | { kind: 'held' }
  /** Another suspect is under way: this one comes soon, to whichever worker is free. */
  | { kind: 'suspect' };

export interface BeforeCallDeps {
  clock: Clock;
  leaseMs: number;
  /** In [0, 1). */
  random: () => number;
}

/** W3: why the call must not be made now; null when nothing is against it. */
export function refusalOf(work: Work, { verdict, deadlineAtMs }: Admission, deps: BeforeCallDeps): NoCall | null {
  if (work.count === 0) return { kind: 'no-users' };
  if (verdict === 'hold') return { kind: 'release' };
  if (verdict === 'cancel') return { kind: 'cancelled' };
  if (verdict === 'expire' || deadlineAtMs <= deps.clock.monotonicMs()) return { kind: 'expired' };
  if (work.claim.open) {
    const settledBy = settlingOf(classOf(work, deps.clock.now().getTime()));
    if (settledBy === 'nothing') return { kind: 'unsettled', cause: unsettledCause(work) };
    if (settledBy === 'status' && mayStillBeApplied(work)) return { kind: 'may-be-applied' };
  }
  return leaseOutlastsCall(work, deps) ? null : { kind: 'release' };
}

/** What can still tell what a call did whose answer was lost. */
function settlingOf(of: ContractClass): 'answer' | 'status' | 'nothing' {
  if (wholeAnswerSettles(of)) return 'answer';
  return of === 'C' ? 'status' : 'nothing';
}

function unsettledCause({ type }: Work): string {
  return type.class === 'D' ? 'the call was lost with its worker' : 'the endpoint has forgotten its key';
}

/** What is recorded of a step that is not called. */
export function resultWithoutCall(work: Work, why: NoCall, { random }: Pick<BeforeCallDeps, 'random'>): StepResult {
  switch (why.kind) {
    case 'no-users':
      return uncalledResult(work, 'succeeded');
    case 'cancelled':
    case 'expired':
      // Where the key is open, that nothing happened would be a guess.
      return work.claim.open ? unknownResult(work, why.kind) : uncalledResult(work, why.kind);
    case 'unsettled':
      return unknownResult(work, why.cause);
    case 'may-be-applied':
      return waitingResult(work, 0, true, 'the outcome of a lost call cannot be asked for yet');
    case 'suspect':
      return putBackResult(work, Math.round(suspectAgainMs * (1 + random())), null);
    case 'release':
    case 'held':
      return putBackResult(work, 0, null);
  }
}
