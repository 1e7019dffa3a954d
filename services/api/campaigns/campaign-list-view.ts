import type { ListedCampaignShape, ListedRunShape } from '../../../shared/contracts/runs/campaign-lists.ts';
import type { RunProgress } from '../../../shared/contracts/runs/runs.ts';
import type { CampaignCountsRow, ListedCampaign } from './postgres/campaign-lists.ts';
import { campaignView } from './campaign-view.ts';

export function listedCampaignView(listed: ListedCampaign, progress: RunProgress | undefined): ListedCampaignShape {
  const { campaign, standing, needsAttention, pausedItself } = listed;
  const run = progress ? listedRunView(progress, pausedItself) : null;
  return { ...campaignView(campaign), standing, needsAttention, run };
}

export function campaignCountsView({ 'needs-attention': needsAttention, ...counts }: CampaignCountsRow) {
  return { ...counts, needsAttention };
}

export function listedRunView(progress: RunProgress, pausedItself: boolean): ListedRunShape | null {
  const { steps } = progress;
  const lastStep = steps.at(-1);
  if (!lastStep) return null;
  const { runId, state, stateReason, stateSince, scheduledFor, startedAt, endedAt, asOf } = progress;
  const { audience, stalled, stall, waitingSince, usersPerSecond, eta, waits } = progress;
  return {
    runId,
    state,
    stateReason,
    stateSince,
    scheduledFor,
    startedAt,
    endedAt,
    asOf,
    audience,
    stalled,
    stall,
    waitingSince,
    usersPerSecond,
    eta,
    waits,
    pausedItself,
    lastStep,
    failedUsers: steps.reduce((sum, { failed }) => sum + failed, 0),
    unknownUsers: steps.reduce((sum, { unknown }) => sum + unknown, 0),
  };
}
