import { notJudged, type RunApprovals } from '../../../services/trigger/ports/run-approvals.ts';

/** Approvals of an installation without a policy: no start needs an approval, and no feed has an upper limit. */
export function createMemoryRunApprovals(): RunApprovals {
  return {
    clear: () => Promise.resolve(notJudged),
    clearRetry: () => Promise.resolve(notJudged),
    goBeyond: () => Promise.resolve(),
  };
}
