import { notJudged, type RunApprovals } from '../../../services/trigger/ports/run-approvals.ts';

/** Approvals of an installation without a policy: no start is judged, and no feed has a bound. */
export function createMemoryRunApprovals(): RunApprovals {
  return {
    clear: () => Promise.resolve(notJudged),
    clearRetry: () => Promise.resolve(notJudged),
    goBeyond: () => Promise.resolve(),
  };
}
