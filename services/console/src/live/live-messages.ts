import type { CampaignCounts, RunProgress } from '#client/types.gen.ts';

/** What the stream tells: a run's progress, or that the list of campaigns changed. */
export type LiveMessage =
  | { topic: typeof campaignsTopic; counts: CampaignCounts }
  /** `isWhole`: with the lines of its countries. */
  | { topic: string; progress: RunProgress; isWhole: boolean };

type Lines = 'all' | 'steps';

/** A list shows nothing of the countries, which are most of a progress: it is sent without them. */
export function linesFor(topics: readonly string[]): Lines {
  return topics.includes(campaignsTopic) ? 'steps' : 'all';
}

/** Beside the ids of runs. */
export const campaignsTopic = 'campaigns';

/** Undefined for what only says that the server is there. */
export function liveMessage(
  event: string | undefined,
  data: RunProgress | CampaignCounts,
  lines: Lines,
): LiveMessage | undefined {
  if (event === 'campaigns' && !('runId' in data)) return { topic: campaignsTopic, counts: data };
  if (event === 'progress' && 'runId' in data) return { topic: data.runId, progress: data, isWhole: lines === 'all' };
  return undefined;
}

export function isLast(message: LiveMessage): boolean {
  return 'progress' in message && message.progress.endedAt !== null;
}
