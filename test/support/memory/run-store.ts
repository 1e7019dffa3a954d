import { v7 as uuidv7 } from 'uuid';
import type { CampaignDefinition } from '../../../shared/contracts/campaigns.ts';
import { firstChildBatchNo, isChildBatch } from '../../../shared/domain/batch.ts';
import type { StepTotals } from '../../../shared/domain/outcomes.ts';
import { statesBefore } from '../../../shared/domain/run-states.ts';
import type { RunStore, RunTally } from '../../../services/trigger/ports/run-store.ts';
import { atOnce } from './at-once.ts';
import { createMemoryDatabase, type FeedRow, type MemoryDatabase, type RunRow } from './memory-database.ts';
import { addToTotals, totalsOf } from './totals.ts';

export function createMemoryRunStore({ database }: { database: MemoryDatabase }): RunStore {
  const { runs, clock } = database;

  function inState(state: RunRow['state']): RunRow[] {
    return [...runs.values()]
      .filter((row) => row.state === state)
      .sort((a, b) => a.scheduledFor.getTime() - b.scheduledFor.getTime() || (a.id < b.id ? -1 : 1));
  }

  return {
    toPrepare: (limit, inHand) =>
      atOnce(() =>
        inTurn(inState('preparing').filter((row) => !inHand.includes(row.id)))
          .slice(0, limit)
          .map((row) => {
            const deadlineInMs = row.deadlineAtMs - clock.nowMs();
            return {
              runId: row.id,
              campaignId: row.campaignId,
              definition: definitionOf(database, row),
              deadlineInMs,
            };
          }),
      ),
    begin: (runId, feeds) =>
      atOnce(() => {
        const row = runs.get(runId);
        if (row?.state !== 'preparing') return false;
        row.state = 'running';
        row.waitingCause = null;
        row.startedAt = clock.now();
        for (const feed of feeds) {
          const id = uuidv7();
          database.feeds.set(id, { ...unfed, ...feed, feedId: id, runId });
        }
        return true;
      }),
    wait: (runId, cause) =>
      atOnce(() => {
        const row = runs.get(runId);
        if (row?.state === 'preparing') row.waitingCause = cause;
      }),
    tallies: () => atOnce(() => inState('running').map((row) => tallyOf(database, row))),
    observe: (runId) =>
      atOnce(() => {
        const ours = new Set(feedsOf(database, runId).map((row) => row.feedId));
        const steps = [...database.steps.values()].filter((row) => ours.has(row.feedId));
        const waitingSteps = steps.filter((row) => row.state === 'waiting');
        const activity = {
          inFlight: steps.filter((row) => row.state === 'running').length,
          waiting: waitingSteps.length,
          waitingCause: waitingSteps.flatMap((row) => row.cause ?? []).sort()[0] ?? null,
        };
        const row = runs.get(runId);
        if (row?.endedAt === null) Object.assign(row, activity);
        return activity;
      }),
    recount: (runId) =>
      atOnce(() => feedsOf(database, runId).map(({ feedId }) => ({ feedId, totals: recounted(database, feedId) }))),
    finish: (runId, state, reason) =>
      atOnce(() => {
        const row = runs.get(runId);
        if (!row || !statesBefore(state).includes(row.state)) return false;
        const over = { endedAt: clock.now(), inFlight: 0, waiting: 0, waitingCause: null };
        Object.assign(row, { state, stateReason: reason, ...over });
        return true;
      }),
  };
}

/** The first, the last, the second, the second last and so on. */
function inTurn<Entry>(entries: readonly Entry[]): Entry[] {
  const left = [...entries];
  return entries.flatMap((_, index) => (index % 2 === 0 ? left.shift() : left.pop()) ?? []);
}

const unfed = {
  cursor: null,
  nextBatchNo: 1,
  nextChildNo: firstChildBatchNo,
  fedUsers: 0,
  complete: false,
  stalled: null,
  owner: null,
  token: 0,
  leaseUntilMs: 0,
  stalledUntilMs: null,
  stalls: 0,
} as const;

/** The twin keeps no older revisions: nothing in its tests edits a campaign. */
export function definitionOf(
  { campaigns }: MemoryDatabase,
  { campaignId: campaign, revision }: RunKey,
): CampaignDefinition {
  const row = campaigns.get(campaign);
  if (row?.revision !== revision) throw new Error(`campaign ${campaign} has no revision ${revision}`);
  return row.definition;
}

export function hasRevision({ campaigns }: MemoryDatabase, { campaignId, revision }: RunKey): boolean {
  return campaigns.get(campaignId)?.revision === revision;
}

type RunKey = Pick<RunRow, 'campaignId' | 'revision'>;

/** The run in state `preparing`, or the one that the campaign has for this time already. */
export function insertRun(
  database: MemoryDatabase,
  { campaignId, revision, scheduledFor }: RunKey & { scheduledFor: Date },
): { runId: string; isNew: boolean } {
  const { deadlineSeconds } = definitionOf(database, { campaignId, revision });
  for (const row of database.runs.values()) {
    const isSame = row.campaignId === campaignId && row.scheduledFor.getTime() === scheduledFor.getTime();
    if (isSame) return { runId: row.id, isNew: false };
  }
  const id = uuidv7();
  database.runs.set(id, {
    id,
    campaignId,
    revision,
    scheduledFor,
    state: 'preparing',
    stateReason: null,
    deadlineAtMs: scheduledFor.getTime() + deadlineSeconds * 1000,
    startedAt: null,
    endedAt: null,
    inFlight: 0,
    waiting: 0,
    waitingCause: null,
  });
  return { runId: id, isNew: true };
}

function tallyOf(database: MemoryDatabase, row: RunRow): RunTally {
  return {
    runId: row.id,
    campaignId: row.campaignId,
    chain: definitionOf(database, row).chain,
    deadlinePassed: row.deadlineAtMs <= database.clock.nowMs(),
    feeds: feedsOf(database, row.id).map((feed) => ({
      feedId: feed.feedId,
      country: feed.country,
      fedUsers: feed.fedUsers,
      fedBatches: feed.nextBatchNo - 1,
      complete: feed.complete,
      stalled: feed.stalled,
      totals: totalsOf(database, feed.feedId),
    })),
  };
}

/** The totals of a scratch database to which everything that stands in the rows is added once more. */
function recounted({ clock, steps, failures }: MemoryDatabase, feedId: string): StepTotals[] {
  const scratch = createMemoryDatabase(clock);
  for (const row of steps.values()) {
    if (row.feedId !== feedId || row.state !== 'done' || row.rest === null) continue;
    addToTotals(scratch, feedId, row.step, { batches: isChildBatch(row.batchNo) ? 0 : 1, [row.rest]: row.restUsers });
  }
  for (const failure of failures) {
    if (failure.feedId === feedId) addToTotals(scratch, feedId, failure.step, { [failure.outcome]: 1 });
  }
  return totalsOf(scratch, feedId);
}

function feedsOf({ feeds }: MemoryDatabase, runId: string): FeedRow[] {
  return [...feeds.values()].filter((row) => row.runId === runId).sort((a, b) => (a.country < b.country ? -1 : 1));
}
