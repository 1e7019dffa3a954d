import type { CampaignCounts, RunProgress } from '#client/types.gen.ts';

/** A message of the stream: the progress of a run, or a change of the list of campaigns. */
export type LiveMessage =
  | { topic: typeof campaignsTopic; counts: CampaignCounts }
  /** Progress of a run. `isWhole` means that the progress has the lines of its countries. */
  | { topic: string; progress: RunProgress; isWhole: boolean };

type Lines = 'all' | 'steps';

/** Returns the detail to request. Lists do not show the countries, which are most of a progress. */
export function linesFor(topics: readonly string[]): Lines {
  return topics.includes(campaignsTopic) ? 'steps' : 'all';
}

/** Topic of the list of campaigns. All other topics are ids of runs. */
export const campaignsTopic = 'campaigns';

/** Returns undefined for a heartbeat. */
export function parseLiveMessage(
  event: string | undefined,
  data: RunProgress | CampaignCounts,
  lines: Lines,
): LiveMessage | undefined {
  if (event === 'campaigns' && !('runId' in data)) return { topic: campaignsTopic, counts: data };
  if (event === 'progress' && 'runId' in data) return { topic: data.runId, progress: data, isWhole: lines === 'all' };
  return undefined;
}

export function isFinalMessage(message: LiveMessage): boolean {
  return 'progress' in message && message.progress.endedAt !== null;
}
