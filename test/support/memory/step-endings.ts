import type { StepEndings } from '../../../services/trigger/ports/step-endings.ts';
import { isChildBatch } from '../../../shared/domain/step/batch.ts';
import { reasons } from '../../../shared/domain/step/reasons.ts';
import type { StepRef } from '../../../shared/ports/step-ledger.ts';
import { quarantinedAfterLapses } from '../../../shared/postgres/ledger/ledger-codes.ts';
import { v7 as uuidv7 } from 'uuid';
import { atOnce } from './at-once.ts';
import { lostBefore } from './lost-users.ts';
import { batchKey, stepKey, type MemoryDatabase } from './memory-database.ts';
import type { StepRow } from './step-tables.ts';
import { windowPlaceOf } from './outbox-sweep.ts';
import { addToFailureTotals, addToTotals } from './totals.ts';

export function createMemoryStepEndings({ database }: { database: MemoryDatabase }): StepEndings {
  const { agenda, feeds, sweepMarks, steps, clock } = database;
  return {
    endOpen: ({ feedId, chainLength }, outcome, { from, limit }) =>
      atOnce(() => {
        const nextBatchNo = feeds.get(feedId)?.nextBatchNo ?? 1;
        const low = Math.max(sweepMarks.get(`${feedId}/${chainLength}`) ?? 1, from);
        const end = Math.min(nextBatchNo, low + limit);
        const window = Array.from({ length: Math.max(0, end - low) }, (_, index) => low + index);
        const listed = [...agenda.values()]
          .filter((row) => row.feedId === feedId)
          .map((row) => ({ row, place: windowPlaceOf(database, feedId, row.batchNo, chainLength).place }))
          .filter(({ place }) => place !== 'running')
          .toSorted((a, b) => a.row.batchNo - b.row.batchNo || a.row.step - b.row.step)
          .slice(0, limit);
        const passed = listed.filter(({ place }) => place === 'through');
        for (const { row } of passed) agenda.delete(stepKey(feedId, row.batchNo, row.step));
        let ended = 0;
        for (const batchNo of new Set([...window, ...listed.map(({ row }) => row.batchNo)])) {
          if (endBatch(database, { feedId, batchNo, chainLength, outcome })) ended++;
        }
        return { ended, passed: passed.length, next: low + limit < nextBatchNo ? low + limit : null };
      }),
    endQuarantined: (refs) =>
      atOnce(() => {
        const over = refs.flatMap((ref) => {
          const row = steps.get(stepKey(ref.feedId, ref.batchNo, ref.step));
          const isQuarantined =
            row?.state === 'running' && row.leaseUntilMs < clock.nowMs() && row.lapses >= quarantinedAfterLapses;
          return isQuarantined ? [row] : [];
        });
        for (const row of over) quarantine(database, row);
        return over.length;
      }),
  };
}

function quarantine(database: MemoryDatabase, row: StepRow): void {
  const { feedId, batchNo, step, lapses, owner } = row;
  const before = database.failures.length;
  endStep(database, row, row, 'expired', reasons.quarantined);
  database.quarantined.push({
    quarantineId: uuidv7(),
    feedId,
    batchNo,
    step,
    state: 'kept',
    lapses,
    worker: owner,
    users: database.failures.length - before,
    since: database.clock.now(),
    decidedAt: null,
  });
}

interface OpenBatch {
  feedId: string;
  batchNo: number;
  chainLength: number;
  outcome: 'expired' | 'cancelled';
}

function endBatch(database: MemoryDatabase, { feedId, batchNo, chainLength, outcome }: OpenBatch): boolean {
  const { place, step, row } = windowPlaceOf(database, feedId, batchNo, chainLength);
  if (place === 'through' || place === 'running') return false;
  const ref = { feedId, batchNo, step };
  if (place === 'unrecorded') {
    endStep(database, ref, undefined, outcome, null);
    return true;
  }
  const mayHaveBeenCalled = row.open || (row.state === 'running' && (row.lapses === 0 || row.begun));
  endStep(database, ref, row, outcome, mayHaveBeenCalled ? reasons.ambiguousAnswer : null);
  return true;
}

/** @param unknownFor reason for an unknown outcome; null if certainly nothing was applied */
function endStep(
  database: MemoryDatabase,
  { feedId, batchNo, step }: StepRef,
  row: StepRow | undefined,
  outcome: 'expired' | 'cancelled',
  unknownFor: string | null,
): void {
  const { batches, steps, agenda, failures, clock } = database;
  const lost = new Set(lostBefore(database, { feedId, batchNo, step }));
  const users = (batches.get(batchKey(feedId, batchNo))?.users ?? []).filter((user) => !lost.has(user));
  const restUsers = unknownFor === null ? users.length : 0;
  steps.set(stepKey(feedId, batchNo, step), {
    feedId,
    batchNo,
    step,
    attempts: 0,
    open: false,
    lapses: 0,
    begun: false,
    ...row,
    state: 'done',
    epoch: (row?.epoch ?? 0) + 1,
    owner: null,
    leaseUntilMs: clock.nowMs(),
    nextAttemptAtMs: null,
    rest: outcome,
    restUsers,
    lostDigest: null,
    cause: null,
  });
  if (unknownFor !== null) {
    for (const user of users) {
      const failure = { user, outcome: 'unknown', reason: unknownFor, detail: null } as const;
      failures.push({ ...failure, feedId, batchNo, step, attempts: row?.attempts ?? 0, failedAt: clock.now() });
      addToFailureTotals(database, feedId, step, failure);
    }
  }
  addToTotals(database, feedId, step, {
    batches: isChildBatch(batchNo) ? 0 : 1,
    [outcome]: restUsers,
    unknown: users.length - restUsers,
    done: 1,
    waiting: row?.state === 'waiting' ? -1 : 0,
  });
  agenda.delete(stepKey(feedId, batchNo, step));
  database.reservations.delete(stepKey(feedId, batchNo, step));
  if (unknownFor === null) database.effects.delete(stepKey(feedId, batchNo, step));
}
