import type { StepResult } from '../../../shared/ports/step-ledger.ts';
import type { Admission } from '../claims/feed-directory.ts';
import { releasedResult, uncalledResult, unknownResult } from '../step/step-results.ts';
import type { Work } from '../step/work.ts';
import type { CheckDeps, Gate, Ruling } from './gate.ts';

/** Gate for stopped runs. A claim is released at once if its feed is paused, cancelled or past its deadline. */
export const stopped: Gate = {
  name: 'stopped',
  claimed: (work, { stops }) => (stops.onClaimed(work.claim.feedId) ? releasedResult(work, 0, null) : null),
  check: ofState,
  call: ofState,
  late: ofState,
  nextStep: ({ context }, { stops }) => stops.isStopped(context.feedId),
};

function ofState(work: Work, { verdict }: Admission): Ruling {
  if (verdict === 'hold') return releasedResult(work, 0, null);
  return verdict === 'cancel' ? endUncalled(work, 'cancelled') : null;
}

export const deadline: Gate = { name: 'deadline', check: ofDeadline, call: ofDeadline, late: ofDeadline };

function ofDeadline(work: Work, { verdict, deadlineAtMs }: Admission, { clock }: CheckDeps): Ruling {
  return verdict === 'expire' || deadlineAtMs <= clock.monotonicMs() ? endUncalled(work, 'expired') : null;
}

/**
 * Ends the users of a batch without a call. If the key of the batch is open, their outcome is unknown, because an
 * earlier call may have been applied.
 */
function endUncalled(work: Work, outcome: 'cancelled' | 'expired'): StepResult {
  return work.claim.open ? unknownResult(work, outcome) : uncalledResult(work, outcome);
}
