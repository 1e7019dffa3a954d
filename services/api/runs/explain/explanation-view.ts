import type { UserExplanation } from '../../../../shared/contracts/runs/explanations.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { explainAudience } from './explain-audience.ts';
import { explainSteps } from './explain-steps.ts';
import type { UserHistory } from './postgres/user-histories.ts';

export function explanationView(history: UserHistory, userId: string): UserExplanation {
  const { runId, campaignId, state, asOf, chain, place } = history;
  return {
    runId: publicId('run', runId),
    campaignId: publicId('campaign', campaignId),
    userId,
    state,
    asOf: asOf.toISOString(),
    audience: explainAudience(history, userId),
    batches: (place?.batches ?? []).map(({ batchNo, parent, fromStep, users }) => ({
      batchNo,
      parent,
      fromStep,
      users,
    })),
    steps: place ? explainSteps(place, chain) : [],
  };
}
