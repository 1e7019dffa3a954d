import type {
  HistoryAttempt,
  HistoryBatch,
  HistoryFailure,
  HistoryFeed,
  HistoryStep,
  UserHistories,
  UserPlace,
} from '../../../services/api/runs/explain/user-histories.port.ts';
import { isChildBatch } from '../../../shared/domain/step/batch.ts';
import { brokenUserIdRule, escapeUserId } from '../../../shared/domain/ids/user-id.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { BatchRow, FeedRow } from './feed-tables.ts';
import type { FailureRow, StepRow } from './step-tables.ts';
import { definitionOf } from './run-definitions.ts';

export function createMemoryUserHistories({ database }: { database: MemoryDatabase }): UserHistories {
  return {
    find: (runId, user) =>
      atOnce(() => {
        const run = database.runs.get(runId);
        if (!run) return undefined;
        const listed = escapeUserId(user);
        const asked = brokenUserIdRule(user) === null ? user : listed;
        const feeds = [...database.feeds.values()]
          .filter((feed) => feed.runId === runId)
          .sort((a, b) => compare(a.country, b.country) || a.fromStep - b.fromStep || compare(a.feedId, b.feedId));
        const places = feeds.flatMap((feed) => placeOf(database, feed, asked, listed) ?? []);
        return {
          runId,
          campaignId: run.campaignId,
          state: run.state,
          asOf: database.clock.now(),
          chain: definitionOf(database, run).chain,
          feeds: feeds.map((feed) => feedOf(database, feed)),
          place: withOthers(places),
        };
      }),
  };
}

function withOthers(places: readonly Omit<UserPlace, 'alsoIn'>[]): UserPlace | null {
  const [first, ...others] = places;
  if (!first) return null;
  const countries = new Set(others.map(({ country }) => country));
  return { ...first, alsoIn: [...countries].filter((country) => country !== first.country) };
}

function feedOf({ batches }: MemoryDatabase, feed: FeedRow): HistoryFeed {
  const { feedId, country, audience, fromStep, complete, cursor, nextBatchNo } = feed;
  const usersKept = nextBatchNo === 1 || [...batches.values()].some((batch) => batch.feedId === feedId);
  return { country, audience, fromStep, complete, cursor, usersKept };
}

function placeOf(
  database: MemoryDatabase,
  feed: FeedRow,
  asked: string,
  listed: string,
): Omit<UserPlace, 'alsoIn'> | undefined {
  const { feedId, country, fromStep } = feed;
  const ofFeed = [...database.batches.values()].filter((batch) => batch.feedId === feedId);
  const fed = ofFeed.find((batch) => !isChildBatch(batch.batchNo) && batch.users.includes(asked));
  const unsendable = database.failures.find(
    (row) => row.feedId === feedId && row.batchNo === 0 && (row.user === asked || row.user === listed),
  );
  if (!fed && !unsendable) return undefined;
  const batches = fed ? familyOf(fed, ofFeed, asked).map((batch) => batchOf(database, batch, asked)) : [];
  const receipts = [...database.receipts.values()]
    .filter((row) => row.feedId === feedId && row.user === asked)
    .sort((a, b) => a.step - b.step)
    .map(({ step, delivered, code, at, receivedAt }) => ({ step, delivered, code, at, receivedAt }));
  return { feedId, country, fromStep, batches, unsendable: unsendable ? failureOf(unsendable) : null, receipts };
}

function familyOf(batch: BatchRow, ofFeed: readonly BatchRow[], user: string): BatchRow[] {
  const children = ofFeed.filter((child) => child.parent === batch.batchNo && child.users.includes(user));
  return [batch, ...children.flatMap((child) => familyOf(child, ofFeed, user))];
}

function batchOf(database: MemoryDatabase, { feedId, batchNo, parent, fromStep, users }: BatchRow, user: string) {
  const steps = [...database.steps.values()]
    .filter((row) => row.feedId === feedId && row.batchNo === batchNo)
    .sort((a, b) => a.step - b.step)
    .map((row) => stepOf(database, row, user));
  return { batchNo, parent, fromStep, users: users.length, steps } satisfies HistoryBatch;
}

function stepOf(database: MemoryDatabase, row: StepRow, user: string): HistoryStep {
  const { feedId, batchNo, step, state, leaseUntilMs, nextAttemptAtMs, rest, cause } = row;
  const isOfStep = (each: { feedId: string; batchNo: number; step: number }) =>
    each.feedId === feedId && each.batchNo === batchNo && each.step === step;
  const failure = database.failures.find((each) => isOfStep(each) && each.user === user);
  const hold = database.holds.get(`${feedId}/${step}`)?.cause;
  return {
    step,
    state,
    endedAt: state === 'done' ? new Date(leaseUntilMs) : null,
    nextAttemptAt: state === 'waiting' && nextAttemptAtMs !== null ? new Date(nextAttemptAtMs) : null,
    cause: state === 'done' ? null : (hold ?? cause),
    rest,
    failure: failure ? failureOf(failure) : null,
    attempts: [...database.stepAttempts.values()]
      .filter(isOfStep)
      .sort((a, b) => a.epoch - b.epoch)
      .map(({ at, reading, cause: why, users }): HistoryAttempt => {
        const own = users.find((told) => told.users.includes(user));
        return { at, reading, cause: why, code: own?.code ?? null, detail: own?.detail ?? null };
      }),
  };
}

function failureOf({ outcome, reason, detail, attempts, failedAt }: FailureRow): HistoryFailure {
  return { outcome, reason, detail, attempts, failedAt };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
