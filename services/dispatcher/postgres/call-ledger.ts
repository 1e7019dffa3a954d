import type { Pool } from 'pg';
import { compareKeys, type JobKey } from '../../../shared/domain/job-key.ts';
import { plainArray, textArray } from '../../../shared/postgres/array-literals.ts';
import type { CallLedger, ClaimedJob, JobResult, JobVerdict } from '../ports/call-ledger.ts';
import { flushCalls, verdictCodes } from './call-statements.ts';

export interface CallLedgerDeps {
  pool: Pool;
  owner: string;
  /** Of the totals that are added to. */
  slot: number;
  /** How long a claim lasts. */
  leaseMs: number;
  /** Where these claims are made, and since which switch of it. */
  region: () => { name: string; epoch: number };
}

type EndedRow = [ended: string | null, null, ...null[]];
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
];

export function createCallLedger({ pool, owner, slot, leaseMs, region }: CallLedgerDeps): CallLedger {
  return {
    flush: async ({ results, claims }) => {
      // The same key twice would be inserted twice by one statement, which Postgres refuses.
      const wanted = new Map(claims.map((claim) => [`${claim.jobId}/${claim.dueUs}`, claim]));
      const { name, epoch } = region();
      const { rows } = await pool.query<EndedRow | ClaimedRow>({
        ...flushCalls.with({
          ...resultParams(results.toSorted(compareKeys)),
          ...claimParams([...wanted.values()].sort(compareKeys)),
          ...{ owner, leaseMs, slot, region: name, regionEpoch: epoch },
        }),
        rowMode: 'array',
      });
      const claimed: ClaimedJob[] = [];
      let recorded: ReadonlySet<string> = new Set();
      for (const row of rows) {
        if (row[1] === null) recorded = new Set(row[0]?.split(','));
        else claimed.push(claimOf(row));
      }
      return { recorded, claimed };
    },
  };
}

function claimOf(row: ClaimedRow): ClaimedJob {
  const [, jobId, partition, dueUs, clientId, epoch, attempt, scheduledForMs, claimedAtMs, ...rest] = row;
  const [expiresInMs, method, url, headers, body] = rest;
  const calls = { expiresInMs, method, url, headers, body };
  return { partition, dueUs, jobId, clientId, epoch, attempt, scheduledForMs, claimedAtMs, ...calls };
}

function claimParams(claims: readonly JobKey[]) {
  return {
    claimPartitions: plainArray(claims.map(({ partition }) => partition)),
    claimDues: plainArray(claims.map(({ dueUs }) => dueUs)),
    claimIds: plainArray(claims.map(({ jobId }) => jobId)),
  };
}

function resultParams(results: readonly JobResult[]) {
  return {
    partitions: plainArray(results.map(({ partition }) => partition)),
    dues: plainArray(results.map(({ dueUs }) => dueUs)),
    ids: plainArray(results.map(({ jobId }) => jobId)),
    epochs: plainArray(results.map(({ epoch }) => epoch)),
    verdicts: plainArray(results.map(({ verdict }) => verdictCodes[verdict.kind])),
    delaysMs: plainArray(results.map(({ verdict }) => delayOf(verdict))),
    statuses: plainArray(results.map(({ note }) => note.status ?? 'NULL')),
    latenciesMs: plainArray(results.map(({ note }) => (note.latencyMs === null ? 'NULL' : Math.round(note.latencyMs)))),
    errors: textArray(results.map(({ note }) => note.error)),
    answers: textArray(results.map(({ note }) => note.answer)),
    remarks: textArray(results.map(({ verdict }) => remarkOf(verdict))),
  };
}

function delayOf(verdict: JobVerdict): number {
  return verdict.kind === 'retry' || verdict.kind === 'released' ? Math.round(verdict.delayMs) : 0;
}

function remarkOf(verdict: JobVerdict): string | null {
  if (verdict.kind === 'dead') return verdict.cause;
  return verdict.kind === 'sidelined' ? verdict.host : null;
}
