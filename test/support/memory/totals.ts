import type { StepTotals } from '../../../shared/domain/step/outcomes.ts';
import type { UserFailure } from '../../../shared/ports/step-ledger.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { TotalsRow } from './step-tables.ts';

const nothing = {
  batches: 0,
  succeeded: 0,
  failed: 0,
  expired: 0,
  cancelled: 0,
  unknown: 0,
  suppressed: 0,
  done: 0,
  survived: 0,
  created: 0,
  waiting: 0,
  refused: 0,
  settledSucceeded: 0,
  settledFailed: 0,
};

export function addToTotals(
  { totals }: MemoryDatabase,
  feedId: string,
  step: number,
  delta: Partial<typeof nothing>,
): void {
  const key = `${feedId}/${step}`;
  const sum = totals.get(key) ?? { step, ...nothing };
  const { batches, succeeded, failed, expired, cancelled, unknown, suppressed } = { ...nothing, ...delta };
  const { done, survived, created, waiting, refused } = { ...nothing, ...delta };
  const { settledSucceeded, settledFailed } = { ...nothing, ...delta };
  totals.set(key, {
    step,
    batches: sum.batches + batches,
    succeeded: sum.succeeded + succeeded,
    failed: sum.failed + failed,
    expired: sum.expired + expired,
    cancelled: sum.cancelled + cancelled,
    unknown: sum.unknown + unknown,
    suppressed: sum.suppressed + suppressed,
    done: sum.done + done,
    survived: sum.survived + survived,
    created: sum.created + created,
    waiting: sum.waiting + waiting,
    refused: sum.refused + refused,
    settledSucceeded: sum.settledSucceeded + settledSucceeded,
    settledFailed: sum.settledFailed + settledFailed,
  });
}

/** Returns true if a batch waits in the step. */
export function waitsIn({ totals }: MemoryDatabase, { feedId, step }: { feedId: string; step: number }): boolean {
  return (totals.get(`${feedId}/${step}`)?.waiting ?? 0) > 0;
}

const sampleSize = 5;

/** Adds a failure to the report's counts by reason. */
export function addToFailureTotals(
  { failureTotals }: MemoryDatabase,
  feedId: string,
  step: number,
  { user, outcome, reason }: Pick<UserFailure, 'user' | 'outcome' | 'reason'>,
): void {
  const key = `${feedId}/${step}/${outcome}/${reason}`;
  const row = failureTotals.get(key) ?? { feedId, step, outcome, reason, users: 0, sample: [] };
  row.users++;
  if (row.sample.length < sampleSize) row.sample.push(user);
  failureTotals.set(key, row);
}

/** Returns the whole rows of the feed, in the order of steps. */
export function totalsRowsOf({ totals }: MemoryDatabase, feedId: string): TotalsRow[] {
  return [...totals.entries()]
    .filter(([key]) => key.startsWith(`${feedId}/`))
    .map(([, row]) => ({ ...row }))
    .sort((a, b) => a.step - b.step);
}

/** Returns the feed's totals of users, in the order of steps. A step without recorded users has no line. */
export function totalsOf(database: MemoryDatabase, feedId: string): StepTotals[] {
  return totalsRowsOf(database, feedId).map((row) => {
    const { step, batches, succeeded, failed, expired, cancelled, unknown, suppressed } = row;
    return { step, batches, succeeded, failed, expired, cancelled, unknown, suppressed };
  });
}
