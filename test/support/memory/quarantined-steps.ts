import type {
  QuarantineDetail,
  QuarantinedStep,
  QuarantinedSteps,
  ReplayVerdict,
} from '../../../services/api/trouble/quarantined-steps.port.ts';
import { pageOf, requireIdCursor } from '../../../services/api/frame/postgres/pages.ts';
import { isChildBatch } from '../../../shared/domain/step/batch.ts';
import { mayBeReplayed } from '../../../shared/domain/step/quarantine.ts';
import { reasons } from '../../../shared/domain/step/reasons.ts';
import { aloneFromLapses } from '../../../shared/domain/step/suspects.ts';
import { atOnce } from './at-once.ts';
import { stepKey, type MemoryDatabase } from './memory-database.ts';
import type { FailureRow, QuarantinedRow } from './step-tables.ts';
import { definitionOf } from './run-definitions.ts';
import { addToTotals } from './totals.ts';

export function createMemoryQuarantinedSteps({ database }: { database: MemoryDatabase }): QuarantinedSteps {
  const { quarantined, clock } = database;
  const rowOf = (id: string) => quarantined.find(({ quarantineId }) => quarantineId === id);

  return {
    list: ({ runId, state }, limit, cursor) =>
      atOnce(() => {
        requireIdCursor(cursor);
        const found = quarantined
          .map((row) => shown(database, row))
          .filter((row) => runId === undefined || row.runId === runId)
          .filter((row) => state === undefined || row.state === state)
          .filter((row) => cursor === null || row.quarantineId < cursor)
          .sort((a, b) => (a.quarantineId < b.quarantineId ? 1 : -1));
        return pageOf(found, limit, ({ quarantineId }) => quarantineId);
      }),
    find: (id, sample) =>
      atOnce(() => {
        const row = rowOf(id);
        return row && detailOf(database, row, sample);
      }),
    replay: (id) =>
      atOnce(() => {
        const row = rowOf(id);
        return row && replay(database, row);
      }),
    discard: (id) =>
      atOnce(() => {
        const row = rowOf(id);
        if (row?.state === 'kept') Object.assign(row, { state: 'discarded', decidedAt: clock.now() });
        return row && shown(database, row);
      }),
  };
}

function shown(database: MemoryDatabase, row: QuarantinedRow): QuarantinedStep {
  const feed = database.feeds.get(row.feedId);
  const run = database.runs.get(feed?.runId ?? '');
  if (!feed || !run) throw new Error('a quarantined step has no run');
  const actionType = definitionOf(database, run).chain[row.step - 1]?.action ?? '';
  return { ...row, runId: run.id, runState: run.state, country: feed.country, actionType };
}

function isOfStep({ feedId, batchNo, step }: QuarantinedRow) {
  return (each: { feedId: string; batchNo: number; step: number }) =>
    each.feedId === feedId && each.batchNo === batchNo && each.step === step;
}

function detailOf(database: MemoryDatabase, row: QuarantinedRow, sample: number): QuarantineDetail {
  const isOf = isOfStep(row);
  const begins = [...database.stepBegins.values()].filter(isOf);
  const attempts = [...database.stepAttempts.values()].filter(isOf);
  const epochs = [...new Set([...begins, ...attempts].map(({ epoch }) => epoch))].sort((a, b) => a - b);
  const users = database.failures.filter((each) => isOf(each) && each.outcome === 'unknown').map(({ user }) => user);
  return {
    ...shown(database, row),
    calls: epochs.map((epoch) => {
      const begin = begins.find((each) => each.epoch === epoch);
      const attempt = attempts.find((each) => each.epoch === epoch);
      return {
        at: begin?.at ?? attempt?.at ?? row.since,
        worker: begin?.worker ?? null,
        reading: attempt?.reading ?? 'lost',
        cause: attempt?.cause ?? null,
      };
    }),
    sample: users.sort().slice(0, sample),
  };
}

function replay(database: MemoryDatabase, row: QuarantinedRow): ReplayVerdict {
  const { feedId, batchNo, step, users } = row;
  const { failures, failureTotals, agenda, clock } = database;
  const run = database.runs.get(database.feeds.get(feedId)?.runId ?? '');
  const stored = database.steps.get(stepKey(feedId, batchNo, step));
  if (row.state !== 'kept') return 'decided';
  if (run?.endedAt !== null || !mayBeReplayed(run.state)) return 'run-ended';
  const isOf = isOfStep(row);
  const isIts = (each: FailureRow) => isOf(each) && each.outcome === 'unknown' && each.reason === reasons.quarantined;
  const gone = failures.filter(isIts);
  if (gone.length !== users || stored?.state !== 'done') return 'settled';
  for (const failure of gone) failures.splice(failures.indexOf(failure), 1);
  Object.assign(stored, {
    ...{ state: 'waiting', rest: null, restUsers: 0, epoch: stored.epoch + 1, open: true, begun: false },
    ...{ lapses: aloneFromLapses, owner: null, leaseUntilMs: 0, nextAttemptAtMs: clock.nowMs() },
    cause: 'opened again by a person',
  });
  addToTotals(database, feedId, step, {
    batches: isChildBatch(batchNo) ? 0 : -1,
    unknown: -users,
    done: -1,
    waiting: 1,
  });
  const sums = failureTotals.get(`${feedId}/${step}/unknown/${reasons.quarantined}`);
  if (sums) {
    sums.users -= users;
    sums.sample = sums.sample.filter((user) => !gone.some((failure) => failure.user === user));
  }
  const perUser = database.feeds.get(feedId)?.stepUnits?.[step - 1] ?? 0;
  if (perUser > 0) {
    const units = perUser * users;
    database.reservations.set(stepKey(feedId, batchNo, step), { feedId, batchNo, step, units, granted: true });
  }
  agenda.set(stepKey(feedId, batchNo, step), { feedId, batchNo, step, offerAtMs: clock.nowMs(), offers: 0 });
  Object.assign(row, { state: 'replayed', decidedAt: clock.now() });
  return 'replayed';
}
