import { isChildBatch } from '../../../shared/domain/step/batch.ts';
import { reasons } from '../../../shared/domain/step/reasons.ts';
import { aloneFromLapses } from '../../../shared/domain/step/suspects.ts';
import { stepKey, type MemoryDatabase } from './memory-database.ts';
import type { QuarantinedRow } from './step-tables.ts';
import { addToTotals } from './totals.ts';

/** Reopens a quarantined step, as the API does for a person: its users are pending again, and its key is open. */
export function reopenStep(database: MemoryDatabase, row: QuarantinedRow): void {
  const { feedId, batchNo, step, users } = row;
  const { failures, failureTotals, agenda, clock } = database;
  const stored = database.steps.get(stepKey(feedId, batchNo, step));
  const gone = failures.filter(isOfStep(row));
  if (gone.length !== users || stored?.state !== 'done') throw new Error('the step is not quarantined');
  for (const failure of gone) failures.splice(failures.indexOf(failure), 1);
  Object.assign(stored, {
    state: 'waiting',
    rest: null,
    restUsers: 0,
    epoch: stored.epoch + 1,
    open: true,
    begun: false,
    lapses: aloneFromLapses,
    owner: null,
    leaseUntilMs: 0,
    nextAttemptAtMs: clock.nowMs(),
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
  agenda.set(stepKey(feedId, batchNo, step), { feedId, batchNo, step, offerAtMs: clock.nowMs(), offers: 0 });
  Object.assign(row, { state: 'replayed', decidedAt: clock.now() });
}

function isOfStep({ feedId, batchNo, step }: QuarantinedRow) {
  return (each: { feedId: string; batchNo: number; step: number }) =>
    each.feedId === feedId && each.batchNo === batchNo && each.step === step;
}
