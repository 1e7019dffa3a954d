import type { ListedCampaign, RunProgress } from '#client/types.gen.ts';

/**
 * Adds the progress that the stream has sent since the list was loaded. Ignores progress that is older than the row.
 */
export function applyProgress(campaign: ListedCampaign, progress: RunProgress | undefined): ListedCampaign {
  const { run } = campaign;
  const lastStep = progress?.steps.at(-1);
  if (!run || !progress || !lastStep || progress.runId !== run.runId || progress.asOf <= run.asOf) return campaign;
  const { state, stateReason, stateSince, startedAt, endedAt, asOf, audience, stalled, waitingSince } = progress;
  const sumOf = (outcome: 'failed' | 'unknown') => progress.steps.reduce((sum, step) => sum + step[outcome], 0);
  return {
    ...campaign,
    run: {
      ...run,
      state,
      stateReason,
      stateSince,
      startedAt,
      endedAt,
      asOf,
      audience,
      stalled,
      waitingSince,
      lastStep,
      usersPerSecond: progress.usersPerSecond,
      eta: progress.eta,
      stall: progress.stall,
      waits: progress.waits,
      failedUsers: sumOf('failed'),
      unknownUsers: sumOf('unknown'),
    },
  };
}
