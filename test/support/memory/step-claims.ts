import { usersTextOf } from '../../../shared/domain/step/users-text.ts';
import type { ClaimedStep, Contradiction, StepClaim, StepRef } from '../../../shared/ports/step-ledger.ts';
import { quarantinedAfterLapses } from '../../../shared/postgres/ledger/ledger-codes.ts';
import { batchKey, stepKey, type MemoryDatabase } from './memory-database.ts';
import type { StepRow } from './step-tables.ts';
import { addToTotals } from './totals.ts';

interface Claimer {
  database: MemoryDatabase;
  /** Name of the worker. */
  owner: string;
  leaseMs: number;
}

export const unclaimed = {
  owner: null,
  epoch: 0,
  attempts: 0,
  open: false,
  lapses: 0,
  begun: false,
  leaseUntilMs: 0,
  nextAttemptAtMs: null,
  rest: null,
  restUsers: 0,
  lostDigest: null,
  cause: null,
} as const;

/** Returns the remaining users, if the batch exists and the step before is done with survivors. */
export function leftIn({ batches, steps }: MemoryDatabase, { feedId, batchNo, step }: StepRef): Contradiction['truth'] {
  const batch = batches.get(batchKey(feedId, batchNo));
  if (!batch) return null;
  if (step === batch.fromStep) return { remaining: batch.users.length, lostDigest: null };
  const before = steps.get(stepKey(feedId, batchNo, step - 1));
  if (step < batch.fromStep || before?.rest !== 'succeeded' || before.restUsers === 0) return null;
  return { remaining: before.restUsers, lostDigest: before.lostDigest };
}

export function contradictionOf(database: MemoryDatabase, claim: StepClaim): Contradiction | undefined {
  const { feedId, batchNo, step, remaining, lostDigest } = claim;
  const truth = leftIn(database, claim);
  const isAsReported =
    truth &&
    (remaining === undefined || remaining === truth.remaining) &&
    (lostDigest === undefined || lostDigest === truth.lostDigest);
  return isAsReported ? undefined : { feedId, batchNo, step, truth };
}

export function claim(ref: StepRef, { database, owner, leaseMs }: Claimer): ClaimedStep | undefined {
  const { feedId, batchNo, step } = ref;
  const before = database.steps.get(stepKey(feedId, batchNo, step));
  const nowMs = database.clock.nowMs();
  if (before && !isFree(before, nowMs)) return undefined;
  const row: StepRow = {
    ...unclaimed,
    feedId,
    batchNo,
    step,
    ...(before && takenOver(before)),
    state: 'running',
    owner,
    epoch: (before?.epoch ?? 0) + 1,
    leaseUntilMs: nowMs + leaseMs,
  };
  database.steps.set(stepKey(feedId, batchNo, step), row);
  if (before?.state === 'waiting') addToTotals(database, feedId, step, { waiting: -1 });
  return claimedStep(row, database.batches.get(batchKey(feedId, batchNo))?.users ?? []);
}

/** Returns the row's fields after a claim: a lapse is counted if a call had begun, or may have begun. */
function takenOver(before: StepRow): Partial<StepRow> {
  const hasLapsed = before.state === 'running' && (before.lapses === 0 || before.begun);
  return {
    attempts: before.attempts,
    open: before.open || hasLapsed,
    lapses: hasLapsed ? Math.max(before.lapses, 0) + 1 : before.lapses,
    nextAttemptAtMs: before.state === 'waiting' ? before.nextAttemptAtMs : null,
  };
}

export function claimedStep(row: StepRow, users: string[]): ClaimedStep {
  const { feedId, batchNo, step, epoch, attempts, open, lapses } = row;
  const waited = row.nextAttemptAtMs !== null;
  return {
    feedId,
    batchNo,
    step,
    epoch,
    attempts,
    open,
    waited,
    lapses,
    users: usersTextOf(users),
    size: users.length,
  };
}

export function isFree(row: StepRow, nowMs: number): boolean {
  if (row.state === 'running') return row.leaseUntilMs < nowMs && row.lapses < quarantinedAfterLapses;
  return row.state === 'waiting' && row.nextAttemptAtMs !== null && row.nextAttemptAtMs <= nowMs;
}

export function mayClaim({ steps, clock }: MemoryDatabase, ref: StepRef): boolean {
  const row = steps.get(stepKey(ref.feedId, ref.batchNo, ref.step));
  return !row || isFree(row, clock.nowMs());
}
