import { isChildBatch } from '../../../shared/domain/batch.ts';
import { usersTextOf } from '../../../shared/domain/users-text.ts';
import type {
  ClaimedStep,
  LedgerFlush,
  LedgerFlushed,
  StepDone,
  StepLedger,
  StepResult,
  StepRef,
} from '../../../shared/ports/step-ledger.ts';
import { atOnce } from './at-once.ts';
import { lostBefore } from './lost-users.ts';
import { batchKey, stepKey, type MemoryDatabase, type StepRow } from './memory-database.ts';
import { addToTotals } from './totals.ts';

export interface MemoryStepLedgerDeps {
  database: MemoryDatabase;
  /** Stands for the worker; only Postgres shows it to people. */
  owner: string;
  leaseMs: number;
}

export function createMemoryStepLedger({ database, leaseMs }: MemoryStepLedgerDeps): StepLedger {
  return {
    flush: (flush) => atOnce(() => flushed(database, flush, leaseMs)),
    lostUsers: (refs) => atOnce(() => refs.map((ref) => lostBefore(database, ref))),
  };
}

function flushed(database: MemoryDatabase, { records, claims }: LedgerFlush, leaseMs: number): LedgerFlushed {
  const result: LedgerFlushed = { recorded: [], claimed: [], refused: [] };
  for (const record of records) {
    const error = faultOf(record);
    if (error) result.refused.push({ step: record, error });
    else if (write(database, record)) result.recorded.push(record);
  }
  const beingRecorded = new Set(records.map(keyOf));
  for (const ref of claims) {
    const claimed = beingRecorded.has(keyOf(ref)) ? undefined : claim(database, ref, leaseMs);
    if (claimed) result.claimed.push(claimed);
  }
  return result;
}

/** False when the step was taken over. A repeat of what stands there already is fine, and writes nothing. */
function write(database: MemoryDatabase, record: StepResult): boolean {
  const row = database.steps.get(keyOf(record));
  if (row?.epoch !== record.epoch) return false;
  if (row.state !== 'running') return true;
  if (record.state === 'done') {
    finish(database, row, record);
    return true;
  }
  row.state = 'waiting';
  row.nextAttemptAtMs = database.clock.nowMs() + record.delayMs;
  row.cause = record.cause;
  if (!record.burnsAttempt) row.attempt--;
  return true;
}

function finish(database: MemoryDatabase, row: StepRow, record: StepDone): void {
  const { feedId, batchNo, step, rest, restUsers } = record;
  row.state = 'done';
  row.rest = rest;
  row.restUsers = restUsers;
  for (const failure of record.failures) {
    const failedAt = database.clock.now();
    database.failures.push({ ...failure, feedId, batchNo, step, attempts: row.attempt, failedAt });
  }
  const unknown = record.failures.filter((failure) => failure.outcome === 'unknown').length;
  addToTotals(database, feedId, step, {
    batches: isChildBatch(batchNo) ? 0 : 1,
    [rest]: restUsers,
    failed: record.failures.length - unknown,
    unknown,
  });
  for (const child of record.children) insertChildren(database, record, child);
}

function insertChildren(
  database: MemoryDatabase,
  { feedId, batchNo, step }: StepDone,
  child: StepDone['children'][number],
): void {
  const owner = database.feeds.get(feedId);
  if (!owner) throw new Error(`cannot number a child batch: there is no feed ${feedId}`);
  const childNo = owner.nextChildNo++;
  const users = [...child.users];
  database.batches.set(batchKey(feedId, childNo), { feedId, batchNo: childNo, users, parent: batchNo, fromStep: step });
  database.steps.set(stepKey(feedId, childNo, step), {
    feedId,
    batchNo: childNo,
    step,
    state: 'waiting',
    epoch: 0,
    attempt: child.attempts,
    leaseUntilMs: 0,
    nextAttemptAtMs: database.clock.nowMs() + child.delayMs,
    rest: null,
    restUsers: 0,
    cause: null,
  });
}

function claim(database: MemoryDatabase, ref: StepRef, leaseMs: number): ClaimedStep | undefined {
  const { feedId, batchNo, step } = ref;
  const batch = database.batches.get(batchKey(feedId, batchNo));
  const before = database.steps.get(keyOf(ref));
  const nowMs = database.clock.nowMs();
  if (!batch || (before && !isFree(before, nowMs))) return undefined;
  const row: StepRow = {
    feedId,
    batchNo,
    step,
    state: 'running',
    epoch: (before?.epoch ?? 0) + 1,
    attempt: (before?.attempt ?? 0) + 1,
    leaseUntilMs: nowMs + leaseMs,
    nextAttemptAtMs: 0,
    rest: null,
    restUsers: 0,
    cause: null,
  };
  database.steps.set(keyOf(ref), row);
  const { users } = batch;
  return {
    feedId,
    batchNo,
    step,
    epoch: row.epoch,
    attempt: row.attempt,
    users: usersTextOf(users),
    size: users.length,
  };
}

export function isFree(row: StepRow, nowMs: number): boolean {
  return (
    (row.state === 'running' && row.leaseUntilMs < nowMs) || (row.state === 'waiting' && row.nextAttemptAtMs <= nowMs)
  );
}

/** What a Postgres text cannot hold; the twin must not be more patient. */
function faultOf(record: StepResult): Error | undefined {
  const texts =
    record.state === 'done'
      ? record.failures.flatMap((failure) => [failure.user, failure.reason, failure.detail ?? ''])
      : [record.cause ?? ''];
  return texts.some((text) => text.includes('\0')) ? new Error('a text holds a NUL byte') : undefined;
}

function keyOf({ feedId, batchNo, step }: StepRef): string {
  return stepKey(feedId, batchNo, step);
}
