import type { Reconciliation, Repair } from '../../../services/trigger/ports/reconciliation.ts';
import type { SweptFeed } from '../../../services/trigger/ports/outbox-sweep.ts';
import { isChildBatch } from '../../../shared/domain/step/batch.ts';
import { atOnce } from './at-once.ts';
import { createMemoryDatabase, stepKey, type MemoryDatabase } from './memory-database.ts';
import type { TotalsRow } from './step-tables.ts';
import { windowPlaceOf } from './outbox-sweep.ts';
import { addRunEvent } from './run-events.ts';
import { addToFailureTotals, addToTotals, totalsRowsOf } from './totals.ts';

export function createMemoryReconciliation({ database }: { database: MemoryDatabase }): Reconciliation {
  return {
    reconcile: (feed) =>
      atOnce(() => {
        const scratch = countedAgain(database, feed.feedId);
        const repairs = [
          ...repairTotals(database, scratch, feed.feedId),
          ...repairFailureTotals(database, scratch, feed.feedId),
          ...repairFedUsers(database, feed.feedId),
          ...repairAgenda(database, feed),
        ];
        const row = database.feeds.get(feed.feedId);
        if (row && repairs.length > 0) addRunEvent(database, row.runId, 'repaired', { country: row.country, repairs });
        return repairs;
      }),
  };
}

/** Returns a scratch database with the sums recomputed from the rows. */
function countedAgain({ clock, steps, batches, failures }: MemoryDatabase, feedId: string): MemoryDatabase {
  const scratch = createMemoryDatabase(clock);
  for (const row of steps.values()) {
    if (row.feedId !== feedId) continue;
    if (row.state === 'waiting') addToTotals(scratch, feedId, row.step, { waiting: 1 });
    if (row.state !== 'done' || row.rest === null) continue;
    const survived = row.rest === 'succeeded' && row.restUsers > 0 ? 1 : 0;
    const fed = isChildBatch(row.batchNo) ? 0 : 1;
    addToTotals(scratch, feedId, row.step, { batches: fed, done: 1, survived, [row.rest]: row.restUsers });
  }
  for (const batch of batches.values())
    if (batch.feedId === feedId && isChildBatch(batch.batchNo))
      addToTotals(scratch, feedId, batch.fromStep, { created: 1 });
  for (const failure of failures) {
    if (failure.feedId !== feedId) continue;
    addToTotals(scratch, feedId, failure.step, { [failure.outcome]: 1 });
    if (failure.outcome !== 'succeeded')
      addToFailureTotals(scratch, feedId, failure.step, { ...failure, outcome: failure.outcome });
  }
  return scratch;
}

const sums = [
  'batches',
  'succeeded',
  'failed',
  'expired',
  'cancelled',
  'unknown',
  'suppressed',
  'done',
  'survived',
  'created',
  'waiting',
  'settledSucceeded',
  'settledFailed',
] as const satisfies readonly (keyof TotalsRow)[];

/** Names of columns as in repairs of Postgres. */
const columns: Partial<Record<keyof TotalsRow, string>> = {
  settledSucceeded: 'settled_succeeded',
  settledFailed: 'settled_failed',
};

function repairTotals(database: MemoryDatabase, scratch: MemoryDatabase, feedId: string): Repair[] {
  const [rows, counted] = [totalsRowsOf(database, feedId), totalsRowsOf(scratch, feedId)];
  const of = (all: readonly TotalsRow[], step: number, sum: (typeof sums)[number]) =>
    all.find((row) => row.step === step)?.[sum] ?? 0;
  const steps = [...new Set([...rows, ...counted].map(({ step }) => step))].sort((a, b) => a - b);
  return steps.flatMap((step): Repair[] => {
    const changes = sums
      .map((sum) => ({ sum, by: of(counted, step, sum) - of(rows, step, sum) }))
      .filter(({ by }) => by !== 0);
    if (changes.length === 0) return [];
    addToTotals(database, feedId, step, Object.fromEntries(changes.map(({ sum, by }) => [sum, by])));
    return [
      { kind: 'totals', step, what: changes.map(({ sum, by }) => `${columns[sum] ?? sum} ${signed(by)}`).join(', ') },
    ];
  });
}

function repairFailureTotals({ failureTotals }: MemoryDatabase, scratch: MemoryDatabase, feedId: string): Repair[] {
  const keys = new Set([...failureTotals.keys(), ...scratch.failureTotals.keys()]);
  const own = [...keys].filter((key) => key.startsWith(`${feedId}/`)).sort();
  return own.flatMap((key): Repair[] => {
    const [row, counted] = [failureTotals.get(key), scratch.failureTotals.get(key)];
    const by = (counted?.users ?? 0) - (row?.users ?? 0);
    const known = row ?? counted;
    if (by === 0 || !known) return [];
    failureTotals.set(key, { ...known, users: (row?.users ?? 0) + by, sample: row?.sample ?? [] });
    return [{ kind: 'failure-totals', step: known.step, what: `${known.reason} ${signed(by)}` }];
  });
}

function repairFedUsers({ feeds, batches, failures }: MemoryDatabase, feedId: string): Repair[] {
  const feed = feeds.get(feedId);
  if (!feed) return [];
  const fed = [...batches.values()].filter((batch) => batch.feedId === feedId && !isChildBatch(batch.batchNo));
  const unsendable = failures.filter((row) => row.feedId === feedId && row.batchNo === 0).length;
  const by = fed.reduce((sum, { users }) => sum + users.length, feed.heldOutUsers + unsendable) - feed.fedUsers;
  if (by === 0) return [];
  feed.fedUsers += by;
  return [{ kind: 'fed-users', step: null, what: signed(by) }];
}

function repairAgenda(database: MemoryDatabase, { feedId, chainLength }: SweptFeed): Repair[] {
  const { agenda, batches, sweepMarks, clock } = database;
  const below = sweepMarks.get(`${feedId}/${chainLength}`) ?? 1;
  const listed = new Set([...agenda.values()].filter((row) => row.feedId === feedId).map(({ batchNo }) => batchNo));
  const found = new Map<number, number>();
  for (const { batchNo, feedId: of } of batches.values()) {
    if (of !== feedId || listed.has(batchNo) || (batchNo >= below && !isChildBatch(batchNo))) continue;
    const { place, step, row } = windowPlaceOf(database, feedId, batchNo, chainLength);
    if (place === 'through' || place === 'running') continue;
    const offerAtMs = Math.max(clock.nowMs(), place === 'waiting' ? (row.nextAttemptAtMs ?? 0) : 0);
    agenda.set(stepKey(feedId, batchNo, step), { feedId, batchNo, step, offerAtMs, offers: 0 });
    found.set(step, (found.get(step) ?? 0) + 1);
  }
  return [...found].sort(([a], [b]) => a - b).map(([step, steps]) => ({ kind: 'agenda', step, what: String(steps) }));
}

function signed(difference: number): string {
  return difference > 0 ? `+${difference}` : String(difference);
}
