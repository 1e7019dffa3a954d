import { splitOf } from '../../../shared/contracts/campaigns/variants.ts';
import {
  failureCursorOf,
  failurePlaceOf,
  type FailurePlace,
} from '../../../services/api/runs/failure-cursor.contract.ts';
import { estimateOf, onlySegment } from '../../../shared/contracts/runs/feed-audience.ts';
import { compareUserIds } from '../../../shared/domain/ids/user-id.ts';
import { InvalidCursorError } from '../../../services/api/frame/page.port.ts';
import type {
  FailureGroup,
  RecordedFailure,
  RunHeader,
  RunReports,
  RunSnapshot,
  RunWaitRow,
} from '../../../services/api/runs/run-reports.port.ts';
import { pageOf, requireIdCursor } from '../../../services/api/frame/postgres/pages.ts';
import { atOnce } from './at-once.ts';
import { displayedBudgets } from './budgets.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { FeedRow } from './feed-tables.ts';
import type { RunRow } from './run-tables.ts';
import type { StepTotals } from '../../../shared/domain/step/outcomes.ts';
import { canaryOf, definitionOf, isRemainingFeed, settingsOf } from './run-definitions.ts';
import { totalsRowsOf, waitsIn } from './totals.ts';
import { isOverSinceClosed } from './waiting-steps.ts';

export function createMemoryRunReports({ database }: { database: MemoryDatabase }): RunReports {
  return {
    list: ({ campaignId, state }, limit, cursor) =>
      atOnce(() => {
        requireIdCursor(cursor);
        const found = [...database.runs.values()]
          .filter((run) => campaignId === undefined || run.campaignId === campaignId)
          .filter((run) => state === undefined || run.state === state)
          .filter((run) => cursor === null || run.id < cursor)
          .sort((a, b) => (a.id < b.id ? 1 : -1))
          .map((run) => headerOf(run, database));
        return pageOf(found, limit, (header) => header.runId);
      }),

    comparable: (runId, limit) =>
      atOnce(() => {
        const own = database.runs.get(runId);
        const isBefore = (run: RunRow) => own !== undefined && run.scheduledFor < own.scheduledFor;
        return [...database.runs.values()]
          .filter((run) => run.campaignId === own?.campaignId && run.id !== runId && run.parentId === null)
          .filter(({ startedAt, endedAt }) => startedAt !== null && endedAt !== null)
          .sort(
            (a, b) =>
              Number(isBefore(b)) - Number(isBefore(a)) ||
              b.scheduledFor.getTime() - a.scheduledFor.getTime() ||
              (a.id < b.id ? 1 : -1),
          )
          .slice(0, limit)
          .map((run) => headerOf(run, database));
      }),

    snapshot: (runId) => atOnce(() => snapshotOf(runId, database)),

    snapshots: (runIds) => atOnce(() => runIds.flatMap((runId) => snapshotOf(runId, database) ?? [])),

    points: (runId) =>
      atOnce(() => {
        const run = database.runs.get(runId);
        if (!run) return undefined;
        const points = [...database.runPoints.values()]
          .filter((point) => point.runId === runId)
          .map(({ at, ended }) => ({ at, ended }))
          .sort((a, b) => a.at.getTime() - b.at.getTime());
        return { startedAt: run.startedAt, endedAt: run.endedAt, points };
      }),

    failureGroups: (runId) => atOnce(() => groupsOf(runId, database)),

    failures: (runId, { q, step, country, reason, outcome, batch, failedFrom, failedUntil }, limit, cursor) =>
      atOnce(() => {
        const after = cursor === null ? null : failurePlaceOf(cursor);
        if (after === undefined)
          throw new InvalidCursorError(`${JSON.stringify(cursor)} is not a cursor of a list of failures`);
        const found = failuresOf(runId, database)
          .filter((failure) => q === undefined || failure.user.startsWith(q))
          .filter((failure) => step === undefined || failure.step === step)
          .filter((failure) => country === undefined || failure.country === country)
          .filter((failure) => reason === undefined || failure.reason === reason)
          .filter((failure) => outcome === undefined || failure.outcome === outcome)
          .filter((failure) => batch === undefined || failure.batchNo === batch)
          .filter((failure) => failedFrom === undefined || failure.failedAt >= failedFrom)
          .filter((failure) => failedUntil === undefined || failure.failedAt < failedUntil)
          .filter((failure) => after === null || comparePlaces(failure, after) > 0);
        const { items, next } = pageOf(found, limit, failureCursorOf);
        return { items: items.map(({ feedId: _feedId, ...failure }) => failure), next };
      }),
  };
}

export function headerOf(run: RunRow, database: MemoryDatabase): RunHeader {
  const definition = database.campaigns.get(run.campaignId)?.definition;
  if (!definition) throw new Error(`run ${run.id} has no campaign`);
  return {
    runId: run.id,
    kind: run.kind ?? 'live',
    stepModes: null,
    canary: run.canary,
    parentRunId: run.parentId,
    campaignId: run.campaignId,
    campaignName: definition.name,
    revision: run.revision,
    state: run.state,
    stateReason: run.stateReason,
    scheduledFor: run.scheduledFor,
    startedAt: run.startedAt,
    endedAt: run.endedAt,
    deadlineAt: new Date(run.deadlineAtMs),
    stateSince: run.stateSince,
    settings: settingsOf(database, run),
    // Action types in memory have no prices.
    prices: null,
    variantChoice: variantChoiceOf(run, database),
    variants:
      definition.chain.find(({ variants }) => variants)?.variants?.map(({ name, weight = 0 }) => ({ name, weight })) ??
      null,
    chain: definition.chain.map(({ action, variants, unitsPerUser = 0 }) => {
      const type = database.actionTypes.get(action);
      return { action, hasVariants: variants !== undefined, unitsPerUser, receipts: type?.config.receipts ?? false };
    }),
  };
}

function variantChoiceOf(run: RunRow, database: MemoryDatabase): { chosen: string | null } | null {
  if (run.canary === null || canaryOf(database, run)?.then !== 'choose-variant') return null;
  const remaining = feedsOf(run.id, database).find((feed) => isRemainingFeed(database, run, feed));
  return { chosen: remaining ? variantNameOf(remaining.feedId, database) : null };
}

function snapshotOf(id: string, database: MemoryDatabase): RunSnapshot | undefined {
  const run = database.runs.get(id);
  if (!run) return undefined;
  const feeds = feedsOf(id, database);
  const waits = waitsOf(feeds, database);
  const ofFeed = feeds.find((feed) => feed.stalled !== null)?.stalled;
  const stalled = ofFeed ?? waits[0]?.cause ?? run.waitingCause;
  const stalledBy =
    ofFeed !== undefined ? 'audience' : waits.length > 0 ? 'step' : run.waitingCause === null ? null : 'engine';
  return {
    ...headerOf(run, database),
    asOf: database.clock.now(),
    inFlight: run.inFlight,
    waitingForRetry: feeds
      .flatMap((feed) => totalsRowsOf(database, feed.feedId))
      .reduce((sum, row) => sum + row.waiting, 0),
    stalled: run.endedAt === null ? stalled : null,
    stalledBy: run.endedAt === null ? stalledBy : null,
    waitingSince: run.endedAt === null ? run.waitingSince : null,
    waits: run.endedAt === null ? waits : [],
    budgets: displayedBudgets(database, run.campaignId),
    failuresKept: run.failuresKept,
    receiptsDeletedAt: null,
    countries: feeds.map((feed) => ({
      country: feed.country,
      variant: feed.variant,
      isRemaining: isRemainingFeed(database, run, feed),
      fromStep: feed.fromStep,
      segment: onlySegment(feed.audience)?.segment ?? null,
      estimate: estimateOf(feed.audience),
      fedUsers: feed.fedUsers,
      heldOutUsers: feed.heldOutUsers,
      excludedUsers: feed.excludedUsers,
      sharedUsers: feed.sharedUsers ?? 0,
      fedBatches: feed.nextBatchNo - 1,
      childBatches: totalsRowsOf(database, feed.feedId).reduce((sum, row) => sum + row.created, 0),
      complete: feed.complete,
      totals: displayedTotalsOf(database, feed.feedId),
      receipts: [],
    })),
  };
}

function displayedTotalsOf(database: MemoryDatabase, feedId: string): StepTotals[] {
  return totalsRowsOf(database, feedId).map(
    ({ done: _d, survived: _s, created: _b, waiting: _w, refused: _r, ...totals }) => totals,
  );
}

type PlacedFailure = RecordedFailure & { feedId: string };

function failuresOf(runId: string, database: MemoryDatabase): PlacedFailure[] {
  const countries = new Map(feedsOf(runId, database).map((feed) => [feed.feedId, feed.country]));
  return database.failures
    .flatMap((row) => {
      const country = countries.get(row.feedId);
      if (country === undefined || row.outcome === 'succeeded') return [];
      const variant = variantNameOf(row.feedId, database);
      const { outcome } = row;
      const { feedId, user, step, reason, detail, attempts, batchNo, failedAt } = row;
      return [{ feedId, user, step, country, variant, outcome, reason, detail, attempts, batchNo, failedAt }];
    })
    .sort(comparePlaces);
}

function variantNameOf(feedId: string, database: MemoryDatabase): string | null {
  const feed = database.feeds.get(feedId);
  const run = feed && database.runs.get(feed.runId);
  if (!run || feed.variant === null) return null;
  return splitOf(definitionOf(database, run).chain)[feed.variant - 1]?.name ?? null;
}

function feedsOf(runId: string, { feeds }: MemoryDatabase): FeedRow[] {
  return [...feeds.values()]
    .filter((feed) => feed.runId === runId)
    .sort((a, b) => compareTexts(a.country, b.country) || (a.variant ?? 0) - (b.variant ?? 0));
}

function groupsOf(runId: string, database: MemoryDatabase): FailureGroup[] {
  const countries = new Map(feedsOf(runId, database).map((feed) => [feed.feedId, feed.country]));
  return [...database.failureTotals.values()]
    .flatMap(({ feedId, ...group }) => {
      const country = countries.get(feedId);
      const isEmpty = country === undefined || group.users === 0;
      return isEmpty ? [] : [{ ...group, country, sample: [...group.sample] }];
    })
    .sort(
      (a, b) =>
        a.step - b.step ||
        compareTexts(a.country, b.country) ||
        b.users - a.users ||
        compareTexts(a.reason, b.reason) ||
        compareTexts(a.outcome, b.outcome),
    );
}

/** A cause counts as over if no batch was released for it in this time. */
const causeDisplayedMs = 120_000;

/**
 * Returns the waits of a run. In memory, workers do not report what they serve, so no step waits for a missing worker.
 */
function waitsOf(feeds: readonly FeedRow[], database: MemoryDatabase): RunWaitRow[] {
  const countries = new Map(feeds.map((feed) => [feed.feedId, feed.country]));
  const nowMs = database.clock.nowMs();
  const holds = [...database.holds.values()].filter(({ untilMs }) => (untilMs ?? Infinity) > nowMs);
  const fresh = [...database.stepCauses.values()].filter(
    (row) =>
      row.lastAtMs >= nowMs - causeDisplayedMs &&
      waitsIn(database, row) &&
      !isOverSinceClosed(database, row) &&
      !holds.some((hold) => hold.feedId === row.feedId && hold.step === row.step && hold.cause === row.cause),
  );
  const held = holds.map((hold) => {
    const blockedBy = hold.kind === 'fault' ? null : hold.kind;
    return { ...hold, held: hold.kind === 'fault', nextTryAt: new Date(hold.nextTryAtMs), blockedBy };
  });
  return [...held, ...fresh.map((row) => ({ ...row, held: false, nextTryAt: null, blockedBy: null }))]
    .flatMap(({ feedId, step, cause, sinceMs, batches, held: isHeld, nextTryAt, blockedBy }) => {
      const country = countries.get(feedId);
      const wait = { step, cause, since: new Date(sinceMs), batches, held: isHeld, nextTryAt, blockedBy };
      return country === undefined ? [] : [{ ...wait, country }];
    })
    .reduce<RunWaitRow[]>(addToWaits, [])
    .sort(
      (a, b) =>
        Number(a.blockedBy === 'quiet-hours') - Number(b.blockedBy === 'quiet-hours') ||
        a.since.getTime() - b.since.getTime() ||
        a.step - b.step ||
        compareTexts(a.country, b.country) ||
        compareTexts(a.cause, b.cause),
    );
}

/** Feeds of one country wait together for the same cause. */
function addToWaits(waits: readonly RunWaitRow[], wait: RunWaitRow): RunWaitRow[] {
  const keyOf = ({ step, country, cause, held, blockedBy }: RunWaitRow) =>
    JSON.stringify([step, country, cause, held, blockedBy]);
  const same = waits.find((other) => keyOf(other) === keyOf(wait));
  if (!same) return [...waits, wait];
  const since = same.since < wait.since ? same.since : wait.since;
  const merged = { ...same, since, batches: same.batches + wait.batches };
  return waits.map((other) => (other === same ? merged : other));
}

function comparePlaces(a: FailurePlace, b: FailurePlace): number {
  return (
    compareTexts(a.country, b.country) ||
    compareTexts(a.feedId, b.feedId) ||
    a.batchNo - b.batchNo ||
    a.step - b.step ||
    compareUserIds(a.user, b.user)
  );
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
