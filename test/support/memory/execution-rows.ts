import type { Damage, ExecutionRows } from '../conformance/execution-rows.ts';
import { atOnce } from './at-once.ts';
import { stepKey, type MemoryDatabase } from './memory-database.ts';
import { addToTotals, totalsRowsOf } from './totals.ts';

export function createMemoryExecutionRows({ database }: { database: MemoryDatabase }): ExecutionRows {
  const secondsTo = (ms: number) => Math.round((ms - database.clock.nowMs()) / 1000) + 0;

  return {
    step: ({ feedId, batchNo, step }) =>
      atOnce(() => {
        const row = database.steps.get(stepKey(feedId, batchNo, step));
        if (!row) return undefined;
        const { state, owner, epoch, attempts, open, lapses, begun } = row;
        return { state, owner, epoch, attempts, open, lapses, begun };
      }),
    flow: (feedId) =>
      atOnce(() =>
        totalsRowsOf(database, feedId).map(({ step, done, survived, created, waiting, refused }) => {
          return { step, done, survived, created, waiting, refused };
        }),
      ),
    agenda: (feedId) =>
      atOnce(() =>
        [...database.agenda.values()]
          .filter((row) => row.feedId === feedId)
          .sort((a, b) => a.batchNo - b.batchNo || a.step - b.step)
          .map(({ batchNo, step, offerAtMs, offers }) => ({ batchNo, step, inSeconds: secondsTo(offerAtMs), offers })),
      ),
    failureTotals: (feedId) =>
      atOnce(() =>
        [...database.failureTotals.values()]
          .filter((row) => row.feedId === feedId)
          .sort((a, b) => a.step - b.step || (a.outcome + a.reason < b.outcome + b.reason ? -1 : 1))
          .map(({ step, outcome, reason, users, sample }) => ({ step, outcome, reason, users, sample: [...sample] })),
      ),
    failureAttempts: (feedId) =>
      atOnce(() =>
        database.failures
          .filter((row) => row.feedId === feedId)
          .map(({ user, attempts }) => ({ user, attempts }))
          .sort((a, b) => (a.user < b.user ? -1 : 1)),
      ),
    causes: (feedId) =>
      atOnce(() =>
        [...database.stepCauses.values()]
          .filter((row) => row.feedId === feedId)
          .sort((a, b) => a.step - b.step || (a.cause < b.cause ? -1 : 1))
          .map(({ step, cause, batches, sinceMs }) => ({
            step,
            cause,
            batches,
            sinceSeconds: -secondsTo(sinceMs) + 0,
          })),
      ),
    holds: (feedId) =>
      atOnce(() =>
        [...database.holds.values()]
          .filter((row) => row.feedId === feedId)
          .sort((a, b) => a.step - b.step || (a.kind < b.kind ? -1 : 1))
          .map(({ step, kind, cause, batches, sinceMs }) => ({
            step,
            kind,
            cause,
            batches,
            sinceSeconds: -secondsTo(sinceMs) + 0,
          })),
      ),
    damage: (feedId, damage) => atOnce(() => harm(database, feedId, damage)),
    mark: (feedId, step) => atOnce(() => database.sweepMarks.get(`${feedId}/${step}`) ?? 1),
  };
}

function harm(database: MemoryDatabase, feedId: string, damage: Damage): void {
  const { totals, failureTotals, feeds, agenda, sweepMarks } = database;
  const deleteOwn = (table: Map<string, unknown>) => {
    for (const key of [...table.keys()]) if (key.startsWith(`${feedId}/`)) table.delete(key);
  };
  const feed = feeds.get(feedId);
  if (damage === 'totals-drifted') addToTotals(database, feedId, 1, { succeeded: 7, waiting: 2 });
  else if (damage === 'settled-drifted') addToTotals(database, feedId, 1, { settledSucceeded: 3, settledFailed: 4 });
  else if (damage === 'totals-lost') deleteOwn(totals);
  else if (damage === 'failure-totals-lost') deleteOwn(failureTotals);
  else if (damage === 'fed-users-drifted' && feed) feed.fedUsers += 5;
  else if (damage === 'agenda-lost') {
    deleteOwn(agenda);
    sweepMarks.set(`${feedId}/2`, 1000);
  }
}
