import { wholeAnswerSettles, type ContractClass } from '../../../shared/domain/step/consequences.ts';
import type { Admission } from '../claims/feed-directory.ts';
import { mayStillBeApplied, unknownResult, waitingResult } from '../step/step-results.ts';
import { classOf, type Work } from '../step/work.ts';
import type { CheckDeps, Gate, Ruling } from './gate.ts';

/**
 * Gate for an open key: a lost call may have been applied. The same call, or a status request, settles whether it was.
 */
export const openKey: Gate = { name: 'open key', check: decide, call: decide, late: decide };

function decide(work: Work, _admission: Admission, { clock }: CheckDeps): Ruling {
  if (!work.claim.open) return null;
  const settledBy = settlingOf(classOf(work, clock.now().getTime()));
  if (settledBy === 'nothing') return unknownResult(work, unsettledCause(work));
  if (settledBy === 'answer' || !mayStillBeApplied(work)) return null;
  // Class C: until the call can no longer be applied, the answer "not found" is not reliable, so the batch waits.
  return waitingResult(work, 0, true, 'the outcome of a lost call cannot be asked for yet');
}

/** Returns the means that can still settle a call whose answer was lost. */
function settlingOf(of: ContractClass): 'answer' | 'status' | 'nothing' {
  if (wholeAnswerSettles(of)) return 'answer';
  return of === 'C' ? 'status' : 'nothing';
}

function unsettledCause({ type }: Work): string {
  return type.class === 'D' ? 'the call was lost with its worker' : 'the endpoint has forgotten its key';
}
