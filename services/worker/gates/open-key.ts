import { wholeAnswerSettles, type ContractClass } from '../../../shared/domain/step/consequences.ts';
import type { Admission } from '../claims/feed-directory.ts';
import { mayStillBeApplied, unknownResult, waitingResult } from '../step/step-results.ts';
import { classOf, type Work } from '../step/work.ts';
import type { CheckDeps, Gate, Ruling } from './gate.ts';

/**
 * Gate for an open key: an earlier call under it was lost, and may have been applied. Repeating the call, or a status
 * request, shows whether it was.
 */
export const openKey: Gate = { name: 'open key', check: decide, call: decide, late: decide };

function decide(work: Work, _admission: Admission, { clock }: CheckDeps): Ruling {
  if (!work.claim.open) return null;
  const settledBy = settlingOf(classOf(work, clock.now().getTime()));
  if (settledBy === 'nothing') return unknownResult(work, unsettledCause(work));
  if (settledBy === 'answer' || !mayStillBeApplied(work)) return null;
  // Class C: while the lost call may still be applied, the answer "not found" is not reliable, so the batch waits.
  return waitingResult(work, 0, true, 'the outcome of a lost call cannot be asked for yet');
}

/** Returns how the outcome of a lost call can still be found out. */
function settlingOf(of: ContractClass): 'answer' | 'status' | 'nothing' {
  if (wholeAnswerSettles(of)) return 'answer';
  return of === 'C' ? 'status' : 'nothing';
}

function unsettledCause({ type }: Work): string {
  return type.class === 'D' ? 'the call was lost with its worker' : 'the endpoint has forgotten its key';
}
