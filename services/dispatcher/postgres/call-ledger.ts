import type { Pool } from 'pg';
import { plainArray } from '../../../shared/postgres/connection/array-literals.ts';
import { compareKeys, type JobReference } from '../../../shared/domain/job/job-key.ts';
import {
  instantArrayBytes,
  intArrayBytes,
  smallIntArrayBytes,
  textArrayBytes,
  uuidArrayBytes,
} from '../../../shared/postgres/connection/binary-arrays.ts';
import { retryingDeadlocks } from '../../../shared/postgres/connection/transaction.ts';
import { jobNotifierOn } from '../../../shared/postgres/jobs/job-notifier.ts';
import {
  usualTimeoutMs,
  type CallLedger,
  type ClaimedJob,
  type JobClaim,
  type JobResult,
  type JobVerdict,
} from '../ports/call-ledger.ts';
import { flushCalls, verdictCodes } from './call-statements.ts';

export interface CallLedgerDeps {
  pool: Pool;
  owner: string;
  /**
   * Number of the row, among the rows with a client's totals, to which this process adds its counts. Several rows per
   * client avoid that processes wait for each other's locks.
   */
  slot: number;
  /** Default duration of a claim in milliseconds. */
  leaseMs: number;
  /** Returns the region whose jobs this process claims, and the epoch of the last switch of regions. */
  region: () => { name: string; epoch: number };
}

type RecordedRow = [recorded: string | null, null, ...null[]];
type EarlyRow = [null, jobId: string, partition: number, dueUs: number, clientId: string, epoch: null, ...null[]];
type ClaimedRow = [
  null,
  jobId: string,
  partition: number,
  dueUs: number,
  clientId: string,
  epoch: number,
  attempt: number,
  scheduledForMs: number,
  claimedAtMs: number,
  expiresInMs: number | null,
  method: string,
  url: string,
  headers: string | null,
  body: string | null,
  repeats: string | null,
  terms: string | null,
  orderingKey: string | null,
  exclusiveMs: number | null,
  report: string | null,
];

export function createCallLedger({ pool, owner, slot, leaseMs: usualMs, region }: CallLedgerDeps): CallLedger {
  const notifier = jobNotifierOn(pool);

  return {
    flush: async ({ results, claims, leaseMs = usualMs }) => {
      // Removes repeated claims: the statement would insert the same key twice, which Postgres refuses.
      const wanted = new Map(claims.map((claim) => [`${claim.jobId}/${claim.dueUs}`, claim]));
      const { name, epoch } = region();
      const sorted = results.toSorted(compareKeys);
      const statement = flushCalls.with({
        ...resultParams(sorted),
        ...claimParams([...wanted.values()].sort(compareKeys)),
        owner,
        leaseMs,
        slot,
        region: name,
        regionEpoch: epoch,
      });
      // The order of locks (docs/data.md) excludes deadlocks between flushes. A deadlock with a statement that a person
      // runs is still possible.
      const { rows } = await retryingDeadlocks(() =>
        pool.query<RecordedRow | EarlyRow | ClaimedRow>({ ...statement, rowMode: 'array' }),
      );
      notifier.committed(Math.min(...results.map(({ verdict }) => delayOf(verdict) ?? Infinity)));
      const claimed: ClaimedJob[] = [];
      const early: JobReference[] = [];
      let recorded: ReadonlySet<string> = new Set();
      for (const row of rows) {
        if (row[1] === null) recorded = recordedOf(row[0], sorted);
        else if (row[5] === null) early.push(earlyOf(row));
        else claimed.push(claimOf(row));
      }
      return { recorded, claimed, early };
    },
  };
}

/** @param ids ids of the written results; null if all were written */
function recordedOf(ids: string | null, results: readonly JobResult[]): ReadonlySet<string> {
  if (ids === null) return new Set(results.map(({ jobId }) => jobId));
  return new Set(ids === '' ? [] : ids.split(','));
}

function claimOf(row: ClaimedRow): ClaimedJob {
  const [, jobId, partition, dueUs, clientId, epoch, attempt, scheduledForMs, claimedAtMs, ...rest] = row;
  const [expiresInMs, method, url, headers, body, repeats, terms, orderingKey, exclusiveMs, report] = rest;
  const calls = { expiresInMs, method, url, headers, body, repeats, terms, orderingKey, exclusiveMs, report };
  // Postgres returns times as fractional numbers, which are slightly inexact. Rounding makes them exact to the
  // microsecond.
  const [due, scheduledFor] = [Math.round(dueUs), Math.round(scheduledForMs * 1000) / 1000];
  return {
    partition,
    dueUs: due,
    jobId,
    clientId,
    epoch,
    attempt,
    scheduledForMs: scheduledFor,
    claimedAtMs,
    ...calls,
  };
}

function earlyOf([, jobId, partition, dueUs, clientId]: EarlyRow): JobReference {
  return { partition, dueUs: Math.round(dueUs), jobId, clientId };
}

function claimParams(claims: readonly JobClaim[]) {
  const isUsual = claims.every(({ timeoutMs = usualTimeoutMs }) => timeoutMs === usualTimeoutMs);
  return {
    claimPartitions: smallIntArrayBytes(claims.map(({ partition }) => partition)),
    claimDues: instantArrayBytes(claims.map(({ dueUs }) => dueUs)),
    claimIds: uuidArrayBytes(claims.map(({ jobId }) => jobId)),
    claimTimeoutsMs: isUsual ? '{}' : intArrayBytes(claims.map(({ timeoutMs = usualTimeoutMs }) => timeoutMs)),
  };
}

function resultParams(results: readonly JobResult[]) {
  return {
    partitions: smallIntArrayBytes(results.map(({ partition }) => partition)),
    dues: instantArrayBytes(results.map(({ dueUs }) => dueUs)),
    ids: uuidArrayBytes(results.map(({ jobId }) => jobId)),
    epochs: intArrayBytes(results.map(({ epoch }) => epoch)),
    verdicts: smallIntArrayBytes(results.map(({ verdict }) => verdictCodes[verdict.kind])),
    delaysMs: unlessNone(
      results.map(({ verdict }) => delayOf(verdict)),
      intArrayBytes,
    ),
    statuses: unlessNone(
      results.map(({ note }) => note.status),
      smallIntArrayBytes,
    ),
    latenciesMs: unlessNone(
      results.map(({ note }) => note.latencyMs && Math.round(note.latencyMs)),
      intArrayBytes,
    ),
    errors: unlessNone(
      results.map(({ note }) => note.error),
      textArrayBytes,
    ),
    answers: unlessNone(
      results.map(({ note }) => note.answer),
      textArrayBytes,
    ),
    remarks: unlessNone(
      results.map(({ verdict }) => remarkOf(verdict)),
      textArrayBytes,
    ),
    forgets: results.some(({ forgetsBody }) => forgetsBody)
      ? plainArray(results.map(({ forgetsBody }) => String(forgetsBody)))
      : '{}',
  };
}

/**
 * Encodes an array as a parameter. If all values are null, which is the case for most columns, encodes an empty array,
 * which means the same.
 */
function unlessNone<Value>(values: readonly (Value | null)[], write: (values: readonly (Value | null)[]) => Buffer) {
  return write(values.some((value) => value !== null) ? values : []);
}

function delayOf(verdict: JobVerdict): number | null {
  return 'delayMs' in verdict ? Math.round(verdict.delayMs) : null;
}

function remarkOf(verdict: JobVerdict): string | null {
  if (verdict.kind === 'dead') return verdict.cause;
  return verdict.kind === 'sidelined' ? verdict.host : null;
}
