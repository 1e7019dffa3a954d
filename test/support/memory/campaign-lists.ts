import { campaignStandings, type CampaignChoice } from '../../../shared/domain/run/campaign-standing.ts';
import {
  failedRunShownDays,
  waitingShownMs,
  type CampaignLists,
  type CampaignSearch,
  type ListedCampaign,
} from '../../../services/api/campaigns/campaign-lists.port.ts';
import { atOnce } from './at-once.ts';
import { recordOf } from './campaign-store.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { CampaignRow, RunRow } from './run-tables.ts';

const dayMs = 86_400_000;

export function createMemoryCampaignLists({ database }: { database: MemoryDatabase }): CampaignLists {
  const found = (search: CampaignSearch) =>
    [...database.campaigns.values()].filter((row) => isFound(row, search)).map((row) => listedOf(row, database));

  return {
    page: (search, choice, order, limit, after) =>
      atOnce(() => {
        const behind = found(search)
          .filter((each) => choice === undefined || isOf(choice, each))
          .map((listed) => ({ listed, rank: order === 'state' ? rankOf(listed) : 0, id: listed.campaign.campaignId }))
          .sort((a, b) => a.rank - b.rank || (a.id < b.id ? 1 : -1))
          .filter(({ rank, id }) => !after || rank > after.rank || (rank === after.rank && id < after.campaignId));
        const shown = behind.slice(0, limit);
        const last = shown.at(-1);
        const next = behind.length > limit && last ? { rank: last.rank, campaignId: last.id } : null;
        return { items: shown.map(({ listed }) => listed), next };
      }),

    changeMark: () =>
      atOnce(() =>
        JSON.stringify(
          found({}).map(({ campaign, ...rest }) => [campaign.campaignId, campaign.revision, campaign.state, rest]),
        ),
      ),

    counts: (search) =>
      atOnce(() => {
        const all = found(search);
        const of = (choice: CampaignChoice) => all.filter((each) => isOf(choice, each)).length;
        return {
          all: all.length,
          'needs-attention': of('needs-attention'),
          ...{ running: of('running'), paused: of('paused'), scheduled: of('scheduled') },
          ...{ ended: of('ended'), draft: of('draft') },
        };
      }),
  };
}

function isFound({ id, definition }: CampaignRow, { text, campaignId, country, action }: CampaignSearch): boolean {
  return (
    (text === undefined || definition.name.toLowerCase().includes(text.toLowerCase())) &&
    (campaignId === undefined || id === campaignId) &&
    (country === undefined || definition.countries.includes(country)) &&
    (action === undefined || definition.chain.some((step) => step.action === action))
  );
}

function isOf(choice: CampaignChoice, { standing, needsAttention }: ListedCampaign): boolean {
  return choice === 'needs-attention' ? needsAttention : standing === choice;
}

function rankOf({ standing, needsAttention }: ListedCampaign): number {
  return needsAttention ? 0 : campaignStandings.indexOf(standing) + 1;
}

function listedOf(row: CampaignRow, database: MemoryDatabase): ListedCampaign {
  const campaign = recordOf(row, database);
  const runs = [...database.runs.values()]
    .filter((run) => run.campaignId === row.id && run.parentId === null)
    .sort((a, b) => b.scheduledFor.getTime() - a.scheduledFor.getTime());
  const open = runs.find(({ endedAt }) => endedAt === null);
  const pausedItself = open !== undefined && isPaused(open) && hasPausedItself(open, database);
  return {
    campaign,
    pausedItself,
    needsAttention: open ? pausedItself || isStalled(open, database) : hasJustFailed(runs[0], database),
    standing: standingOf(row, open, campaign.nextRunAt !== null),
    runId: (open ?? runs[0])?.id ?? null,
  };
}

function standingOf({ state }: CampaignRow, open: RunRow | undefined, isPlanned: boolean) {
  if (open) return isPaused(open) ? 'paused' : 'running';
  if (state === 'draft') return 'draft';
  return isPlanned ? 'scheduled' : 'ended';
}

function isPaused({ state }: RunRow): boolean {
  return state === 'pausing' || state === 'paused';
}

function hasPausedItself({ id }: RunRow, { runEvents }: MemoryDatabase): boolean {
  const pauses = runEvents.filter(({ runId, kind }) => runId === id && ['auto-paused', 'pausing'].includes(kind));
  return pauses.at(-1)?.kind === 'auto-paused';
}

function isStalled(run: RunRow, { feeds, holds, runTroubles, clock }: MemoryDatabase): boolean {
  if (isPaused(run)) return false;
  const { waitingCause, waitingSince } = run;
  if (waitingCause !== null && waitingSince && waitingSince.getTime() <= clock.nowMs() - waitingShownMs) return true;
  if ([...runTroubles.values()].some(({ runId, kind }) => runId === run.id && kind === 'breaker')) return true;
  const own = [...feeds.values()].filter(({ runId }) => runId === run.id);
  const isHeld = (feedId: string) => [...holds.values()].some((hold) => hold.feedId === feedId);
  return own.some(({ feedId, stalled }) => stalled !== null || isHeld(feedId));
}

function hasJustFailed(newest: RunRow | undefined, { clock }: MemoryDatabase): boolean {
  const endedAtMs = newest?.state === 'failed' ? newest.endedAt?.getTime() : undefined;
  return endedAtMs !== undefined && endedAtMs > clock.nowMs() - failedRunShownDays * dayMs;
}
