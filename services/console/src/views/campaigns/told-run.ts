import type { ListedCampaign, RunProgress } from '#client/types.gen.ts';

/** A row with what the stream told of its run since the list was read. Older news change nothing. */
export function withTold(campaign: ListedCampaign, told: RunProgress | undefined): ListedCampaign {
  const { run } = campaign;
  const lastStep = told?.steps.at(-1);
  if (!run || !told || !lastStep || told.runId !== run.runId || told.asOf <= run.asOf) return campaign;
  const { state, stateReason, stateSince, startedAt, endedAt, asOf, audience, stalled, waitingSince } = told;
  const sumOf = (outcome: 'failed' | 'unknown') => told.steps.reduce((sum, step) => sum + step[outcome], 0);
  return {
    ...campaign,
    run: {
      ...run,
      ...{ state, stateReason, stateSince, startedAt, endedAt, asOf, audience, stalled, waitingSince, lastStep },
      ...{ usersPerSecond: told.usersPerSecond, eta: told.eta, stall: told.stall, waits: told.waits },
      ...{ failedUsers: sumOf('failed'), unknownUsers: sumOf('unknown') },
    },
  };
}
