import { notJudged, type RunApprovals } from '../../../services/trigger/ports/run-approvals.ts';

/** Of an installation without a policy: nothing is judged, and no feed has a bound. */
export function createMemoryRunApprovals(): RunApprovals {
  return {
    clear: () => Promise.resolve(notJudged),
    clearRetry: () => Promise.resolve(notJudged),
    goBeyond: () => Promise.resolve(),
  };
}
