import type { CampaignCounts, RunProgress } from '../api/generated/types.gen.ts';

/** What the stream tells: a run's progress, or that the list of campaigns changed. */
export type LiveMessage =
  { topic: typeof campaignsTopic; counts: CampaignCounts } | { topic: string; progress: RunProgress };

/** Beside the ids of runs. */
export const campaignsTopic = 'campaigns';

/** Undefined for what only says that the server is there. */
export function liveMessage(event: string | undefined, data: RunProgress | CampaignCounts): LiveMessage | undefined {
  if (event === 'campaigns' && !('runId' in data)) return { topic: campaignsTopic, counts: data };
  if (event === 'progress' && 'runId' in data) return { topic: data.runId, progress: data };
  return undefined;
}

export function isLast(message: LiveMessage): boolean {
  return 'progress' in message && message.progress.endedAt !== null;
}
