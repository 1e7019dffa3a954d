import { v7 as uuidv7 } from 'uuid';
import { firstChildBatchNo, isChildBatch, usualBatchUsers } from '../../../shared/domain/batch.ts';
import { defaultMinJudgedUsers, type CampaignDefinition } from '../../../shared/contracts/campaigns.ts';
import type { RunSettings } from '../../../shared/contracts/runs.ts';
import type { StepTotals } from '../../../shared/domain/outcomes.ts';
import { notItsTimeYet, segmentAlone } from '../../../shared/contracts/feed-audience.ts';
import { compareUserIds } from '../../../shared/domain/user-id.ts';
import type { RunEventKind } from '../../../shared/domain/run-events.ts';
import { statesBefore, type TerminalRunState } from '../../../shared/domain/run-states.ts';
import { nothingUnderWay } from '../../../shared/domain/under-way.ts';
import type { FlowCounts } from '../../../services/trigger/ports/feed-store.ts';
import type { RunStore, RunTally, WaitingStep } from '../../../services/trigger/ports/run-store.ts';
import { atOnce } from './at-once.ts';
import { shortagesOf, stepUnitsOf } from './budgets.ts';
import { createMemoryDatabase, type FeedRow, type MemoryDatabase, type RunRow } from './memory-database.ts';
import { standingFailures } from './standing-failures.ts';
import { addRunEvent } from './run-events.ts';
import { addToTotals, totalsOf, totalsRowsOf, waitsIn } from './totals.ts';
import { underWayOf } from './under-way.ts';

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
              isRetry: row.parentId !== null,
              deadlineInMs,
            };
          }),
      ),
    begin: (runId, feeds, batchUsers = usualBatchUsers) =>
      atOnce(() => {
        const row = runs.get(runId);
        if (row?.state !== 'preparing') return false;
        Object.assign(row, { state: 'running', stateSince: clock.now(), startedAt: clock.now(), ...waitsNot });
        addRunEvent(database, runId, 'begun', { feeds: feeds.length });
        const lastStartMs = Math.max(...feeds.map(({ startsAt }) => startsAt?.getTime() ?? -Infinity));
        row.deadlineAtMs += Math.max(0, lastStartMs - row.scheduledFor.getTime());
        for (const { startsAt, ...feed } of feeds) {
          const id = uuidv7();
          const stepUnits = stepUnitsOf(database, row.campaignId, feed.country);
          const startsAtMs = startsAt?.getTime() ?? -Infinity;
          const later = startsAtMs > clock.nowMs() ? { stalled: notItsTimeYet, stalledUntilMs: startsAtMs } : {};
          database.feeds.set(id, { ...unfed, ...feed, ...later, feedId: id, runId, batchUsers, stepUnits });
        }
        return true;
      }),
    wait: (runId, cause) =>
      atOnce(() => {
        const row = runs.get(runId);
        if (row?.state === 'preparing') showWait(row, cause);
      }),
    beginRetry: (runId) => atOnce(() => beginRetry(database, runId)),
    tallies: () => atOnce(() => sweptRuns().map((row) => tallyOf(database, row))),
    waitingSteps: (runIds) => atOnce(() => runIds.flatMap((runId) => waitingStepsOf(database, runId))),
    shortages: (runIds) => atOnce(() => runIds.flatMap((runId) => shortagesOf(database, runId))),
    show: (runId, figures) =>
      atOnce(() => {
        const row = runs.get(runId);
        if (row?.endedAt !== null) return;
        const { inFlight, waiting, waitingCause } = figures;
        Object.assign(row, { inFlight, waiting });
        showWait(row, waitingCause);
      }),
    end: (runId, decide) =>
      atOnce(() => {
        fence(database, runId);
        const row = sweptRuns().find(({ id }) => id === runId);
        if (!row) return null;
        const counted = feedsOf(database, runId).map(({ feedId }) => ({ feedId, totals: recounted(database, feedId) }));
        const ending = decide(tallyOf(database, row), counted);
        return ending && finish(database, runId, ending.state, ending.reason) ? ending : null;
      }),
    finish: (runId, state, reason) =>
      atOnce(() => {
        fence(database, runId);
        return finish(database, runId, state, reason);
      }),
    pausing: () =>
      atOnce(() =>
        inState('pausing').map(({ id, stateSince }) => ({
          runId: id,
          forMs: clock.nowMs() - stateSince.getTime(),
          underWay: underWayOf(database, id) ?? nothingUnderWay,
        })),
      ),
    settlePause: (runId) => atOnce(() => move(runId, 'pausing', 'paused', { inFlight: 0 })),
    pauseFor: (runId, cause) =>
      atOnce(() => move(runId, 'running', 'pausing', { stateReason: cause }, 'auto-paused', { cause })),
  };

  function move(
    runId: string,
    from: RunRow['state'],
    to: 'pausing' | 'paused',
    changes: Partial<RunRow>,
    kind: RunEventKind = 'paused',
    detail: Readonly<Record<string, unknown>> = {},
  ): boolean {
    const row = runs.get(runId);
    if (row?.state !== from) return false;
    Object.assign(row, { ...changes, state: to, stateSince: clock.now() });
    addRunEvent(database, runId, kind, detail);
    return true;
  }

  function showWait(row: RunRow, cause: string | null): void {
    if (row.waitingCause !== cause) row.waitingSince = cause === null ? null : clock.now();
    row.waitingCause = cause;
  }

  function sweptRuns(): RunRow[] {
    const byTime = (a: RunRow, b: RunRow) => a.scheduledFor.getTime() - b.scheduledFor.getTime();
    return [...inState('running'), ...inState('cancelling')].sort(byTime);
  }
}

function fence(database: MemoryDatabase, runId: string): void {
  for (const feed of feedsOf(database, runId)) {
    if (!feed.complete) Object.assign(feed, { token: feed.token + 1, owner: null });
  }
}

function finish(database: MemoryDatabase, runId: string, state: TerminalRunState, reason: string | null): boolean {
  const { runs, clock } = database;
  const row = runs.get(runId);
  if (!row || !statesBefore(state).includes(row.state)) return false;
  const over = { endedAt: clock.now(), stateSince: clock.now(), inFlight: 0, waiting: 0, ...waitsNot };
  Object.assign(row, { state, stateReason: reason, ...over });
  addRunEvent(database, runId, 'ended', { state, reason });
  database.runPaces.delete(runId);
  const ours = new Set(feedsOf(database, runId).map(({ feedId }) => feedId));
  for (const [key, { feedId }] of database.agenda) if (ours.has(feedId)) database.agenda.delete(key);
  for (const [key, { feedId }] of database.holds) if (ours.has(feedId)) database.holds.delete(key);
  for (const [key, { feedId }] of database.reservations) if (ours.has(feedId)) database.reservations.delete(key);
  return true;
}

/** The users are written down as they are now, by country and step. */
function beginRetry(database: MemoryDatabase, runId: string): number | null {
  const { runs, feeds, retryUsers, clock } = database;
  const row = runs.get(runId);
  if (row?.state !== 'preparing' || !row.retry || row.parentId === null) return null;
  const standing = standingFailures(database, row.parentId, row.retry, row.createdAt);
  const places = Map.groupBy(standing, ({ country, step }) => `${country}/${step}`);
  const batchUsers = Math.min(...feedsOf(database, row.parentId).map((feed) => feed.batchUsers));
  let users = 0;
  for (const ofPlace of places.values()) {
    const [first] = ofPlace;
    if (!first) continue;
    const feedId = uuidv7();
    const ids = [...new Set(ofPlace.map(({ user }) => user))].sort(compareUserIds);
    retryUsers.set(feedId, ids);
    const { country, step } = first;
    const audience = segmentAlone({ segment: '', snapshot: '', estimate: ids.length });
    const stepUnits = stepUnitsOf(database, row.campaignId, country);
    feeds.set(feedId, { ...unfed, country, audience, fromStep: step, feedId, runId, batchUsers, stepUnits });
    users += ids.length;
  }
  if (users === 0) return 0;
  Object.assign(row, { state: 'running', ...waitsNot, stateSince: clock.now(), startedAt: clock.now() });
  addRunEvent(database, runId, 'begun', { feeds: places.size });
  return users;
}
const waitsNot = { waitingCause: null, waitingSince: null };

const causeLastsMs = 120_000;

/** What is held, else the cause that somebody was put back for last, not long ago. */
function waitingStepsOf(database: MemoryDatabase, runId: string): WaitingStep[] {
  return feedsOf(database, runId).flatMap(({ feedId, country }) => {
    const held = [...database.holds.values()].filter((hold) => hold.feedId === feedId);
    const causes = [...database.stepCauses.values()]
      .filter((cause) => cause.feedId === feedId && cause.lastAtMs > database.clock.nowMs() - causeLastsMs)
      .filter((cause) => waitsIn(database, cause))
      .sort((a, b) => b.lastAtMs - a.lastAtMs);
    const all = [
      ...held.map((hold) => ({ ...hold, held: true })),
      ...causes.map((cause) => ({ ...cause, held: false })),
    ];
    const steps = [...new Set(all.map(({ step }) => step))].sort((a, b) => a - b);
    return steps.flatMap((step) => {
      const first = all.find((each) => each.step === step);
      return first ? [{ runId, country, step, cause: first.cause, held: first.held }] : [];
    });
  });
}

/** The first, the last, the second, the second last and so on. */
function inTurn<Entry>(entries: readonly Entry[]): Entry[] {
  const left = [...entries];
  return entries.flatMap((_, index) => (index % 2 === 0 ? left.shift() : left.pop()) ?? []);
}

const unfed = {
  fromStep: 1,
  cursor: null,
  batchUsers: usualBatchUsers,
  nextBatchNo: 1,
  nextChildNo: firstChildBatchNo,
  fedUsers: 0,
  heldOutUsers: 0,
  excludedUsers: 0,
  complete: false,
  stalled: null,
  owner: null,
  token: 0,
  leaseUntilMs: 0,
  stalledUntilMs: null,
  stalls: 0,
  stepUnits: null,
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

/** The campaign's, but for what was changed for the run alone. */
export function settingsOf(database: MemoryDatabase, row: RunRow): RunSettings {
  const { priority, paceUsersPerSecond, pauseAtFailedPercent, pauseAtFailedMinUsers } = definitionOf(database, row);
  return {
    priority,
    paceUsersPerSecond: paceUsersPerSecond ?? null,
    pauseAtFailedPercent: pauseAtFailedPercent ?? null,
    pauseAtFailedMinUsers: pauseAtFailedMinUsers ?? defaultMinJudgedUsers,
    ...row.settings,
  };
}

function pauseAtFailedOf({ pauseAtFailedPercent, pauseAtFailedMinUsers }: RunSettings): RunTally['pauseAtFailed'] {
  return pauseAtFailedPercent === null ? null : { percent: pauseAtFailedPercent, minUsers: pauseAtFailedMinUsers };
}

type RunKey = Pick<RunRow, 'campaignId' | 'revision'>;

/** The run in state `preparing`, or the one that the campaign has for this time already. */
const missedReason = 'its start was missed for longer than its schedule allows';

export function insertRun(
  database: MemoryDatabase,
  { campaignId, revision, scheduledFor }: RunKey & { scheduledFor: Date },
): { runId: string; isNew: boolean } {
  const { deadlineSeconds, schedule } = definitionOf(database, { campaignId, revision });
  for (const row of database.runs.values()) {
    const isSame = row.campaignId === campaignId && row.scheduledFor.getTime() === scheduledFor.getTime();
    if (isSame) return { runId: row.id, isNew: false };
  }
  const id = uuidv7();
  const withinSeconds =
    schedule.type === 'at' || schedule.type === 'local' ? (schedule.catchUpSeconds ?? Infinity) : Infinity;
  const isMissed = database.clock.nowMs() > scheduledFor.getTime() + withinSeconds * 1000;
  database.runs.set(id, {
    id,
    campaignId,
    revision,
    parentId: null,
    retry: null,
    createdAt: database.clock.now(),
    scheduledFor,
    state: isMissed ? 'expired' : 'preparing',
    stateReason: isMissed ? missedReason : null,
    deadlineAtMs: scheduledFor.getTime() + deadlineSeconds * 1000,
    startedAt: null,
    endedAt: isMissed ? database.clock.now() : null,
    inFlight: 0,
    waiting: 0,
    ...waitsNot,
    stateSince: database.clock.now(),
    settings: {},
    judgedFrom: new Map(),
    failuresKept: true,
  });
  addRunEvent(database, id, 'created');
  if (isMissed) addRunEvent(database, id, 'ended', { state: 'expired', reason: missedReason });
  return { runId: id, isNew: true };
}

function tallyOf(database: MemoryDatabase, row: RunRow): RunTally {
  const { chain, budgets } = definitionOf(database, row);
  return {
    runId: row.id,
    campaignId: row.campaignId,
    state: row.state === 'cancelling' ? 'cancelling' : 'running',
    chain,
    stateReason: row.stateReason,
    resumedForMs:
      row.state === 'running' && row.startedAt && row.stateSince > row.startedAt
        ? database.clock.nowMs() - row.stateSince.getTime()
        : null,
    overdueMs: database.clock.nowMs() - row.deadlineAtMs,
    pauseAtFailed: pauseAtFailedOf(settingsOf(database, row)),
    hasBudgets: budgets !== undefined,
    judgedFrom: [...row.judgedFrom].map(([step, judged]) => ({ step, ...judged })),
    feeds: feedsOf(database, row.id).map((feed) => ({
      feedId: feed.feedId,
      country: feed.country,
      fedUsers: feed.fedUsers,
      heldOutUsers: feed.heldOutUsers,
      fedBatches: feed.nextBatchNo - 1,
      fromStep: feed.fromStep,
      complete: feed.complete,
      stalled: feed.stalled,
      totals: totalsOf(database, feed.feedId),
      flow: flowOf(database, feed.feedId, chain.length),
    })),
  };
}

/** One line for each step of the chain. */
export function flowOf(database: MemoryDatabase, feedId: string, steps: number): FlowCounts[] {
  const lines = totalsRowsOf(database, feedId);
  return Array.from({ length: steps }, (_, index) => {
    const { done, survived, born, waiting } = lines.find(({ step }) => step === index + 1) ?? noFlow;
    return { done, survived, born, waiting };
  });
}

const noFlow: FlowCounts = { done: 0, survived: 0, born: 0, waiting: 0 };

/** The totals of a scratch database to which everything that is in the rows is added once more. */
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
