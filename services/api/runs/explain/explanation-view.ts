import type { UserExplanation } from '../../../../shared/contracts/runs/explanations.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { batchTracesOf } from '../../../../shared/domain/tracing/trace-ids.ts';
import type { CampaignReach } from '../../../../shared/domain/scopes.ts';
import { explainAudience, variantOf } from './explain-audience.ts';
import { explainSteps } from './explain-steps.ts';
import type { UserHistory } from './postgres/user-histories.ts';

/**
 * Returns the explanation of a user.
 * @param mayRead returns true if the caller may read a campaign
 * @param share share of batches whose traces are recorded, from 0 to 1
 */
export function explanationView(
  history: UserHistory,
  userId: string,
  mayRead: (reach: CampaignReach) => boolean,
  share: number,
): UserExplanation {
  const { runId, campaignId, state, asOf, chain, place, receiptsDeletedAt } = history;
  return {
    runId: publicId('run', runId),
    campaignId: publicId('campaign', campaignId),
    userId,
    state,
    asOf: asOf.toISOString(),
    audience: explainAudience(history, userId),
    variant: variantOf(history, userId),
    batches: (place?.batches ?? []).map(({ batchNo, parent, fromStep, users }) => ({
      batchNo,
      parent,
      fromStep,
      users,
      ...(place && traceIn(place.feedId, batchNo, share)),
    })),
    steps: place ? explainSteps(place, chain, mayRead) : [],
    receiptsDeletedAt: receiptsDeletedAt?.toISOString() ?? null,
  };
}

function traceIn(feedId: string, batchNo: number, share: number): { traceId: string } | undefined {
  const traces = batchTracesOf(feedId);
  return traces.isSampled(batchNo, share) ? { traceId: traces.traceOf(batchNo) } : undefined;
}
