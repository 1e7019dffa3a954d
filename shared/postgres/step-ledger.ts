import pg, { type Pool } from 'pg';
import type {
  LedgerFlush,
  LedgerFlushed,
  StepDone,
  StepLedger,
  StepResult,
  StepRef,
  StepWaiting,
} from '../ports/step-ledger.ts';
import { insertChildren, lostBefore, putBack, recordAndClaim, writtenBefore, type ClaimTerms } from './step-writes.ts';
import { inTransaction } from './transaction.ts';

export interface StepLedgerDeps {
  /** From `createHotPathPool`. */
  pool: Pool;
  /** Stands in the rows that this worker claims; for people. */
  owner: string;
  /** Which of a feed's rows of totals this worker adds to, from 0. Workers that share a slot queue for its rows, that is all. */
  slot: number;
  leaseMs: number;
}

/** Deadlocks are broken by Postgres, which picks a victim; the victim's second try finds the other one gone. */
const deadlockTries = 5;

export function createStepLedger({ pool, owner, slot, leaseMs }: StepLedgerDeps): StepLedger {
  const terms: ClaimTerms = { owner, slot, leaseMs };

  /** All or nothing, except that a flush which holds something unwritable is taken apart until that stands alone. */
  async function flush(wanted: LedgerFlush): Promise<LedgerFlushed> {
    try {
      return await flushRetryingDeadlocks(pool, wanted, terms);
    } catch (error) {
      if (!isFaultOfTheData(error)) throw error;
      const [only, ...others] = [...wanted.records, ...wanted.claims];
      if (only && others.length === 0) return { recorded: [], claimed: [], refused: [{ step: only, error }] };
      const [left, right] = halvesOf(wanted);
      return joined(await flush(left), await flush(right));
    }
  }

  return {
    flush: async ({ records, claims }) => {
      if (records.length + claims.length === 0) return { recorded: [], claimed: [], refused: [] };
      // Everybody locks rows in the order of their keys, or two workers could each wait for the other.
      const sorted = records.toSorted(byKey);
      const flushed = await flush({ records: sorted, claims: distinctClaims(claims, sorted) });
      return flushed.recorded.length + flushed.refused.length < records.length
        ? withWrittenBefore(pool, sorted, flushed)
        : flushed;
    },
    lostUsers: (refs) => (refs.length === 0 ? Promise.resolve([]) : lostBefore(pool, refs)),
  };
}

async function flushRetryingDeadlocks(pool: Pool, wanted: LedgerFlush, terms: ClaimTerms): Promise<LedgerFlushed> {
  for (let tries = 1; ; tries++) {
    try {
      return await flushOnce(pool, wanted, terms);
    } catch (error) {
      const isDeadlock = error instanceof pg.DatabaseError && error.code === '40P01';
      if (!isDeadlock || tries === deadlockTries) throw error;
    }
  }
}

/** One statement, unless steps are put back or split: those are rare, and would make the statement dearer for everybody. */
async function flushOnce(pool: Pool, { records, claims }: LedgerFlush, terms: ClaimTerms): Promise<LedgerFlushed> {
  const done = records.filter((record): record is StepDone => record.state === 'done');
  const waiting = records.filter((record): record is StepWaiting => record.state === 'waiting');
  if (waiting.length === 0 && done.every((record) => record.children.length === 0)) {
    return { ...(await recordAndClaim(pool, done, claims, terms)), refused: [] };
  }
  return inTransaction(pool, async (client) => {
    const put = waiting.length === 0 ? [] : await putBack(client, waiting);
    const { recorded, claimed } = await recordAndClaim(client, done, claims, terms);
    const split = recorded.filter((record) => record.children.length > 0);
    if (split.length > 0) await insertChildren(client, split);
    return { recorded: [...recorded, ...put], claimed, refused: [] };
  });
}

/** Adds the records that came back as not ours because an earlier flush, whose answer was lost, had already written them. */
async function withWrittenBefore(
  pool: Pool,
  records: readonly StepResult[],
  flushed: LedgerFlushed,
): Promise<LedgerFlushed> {
  const told = new Set<StepResult | StepRef>([...flushed.recorded, ...flushed.refused.map(({ step }) => step)]);
  const before = await writtenBefore(
    pool,
    records.filter((record) => !told.has(record)),
  );
  return { ...flushed, recorded: [...flushed.recorded, ...before] };
}

/** Sorted, each key once, and none that is being recorded: one statement cannot touch a row twice. */
function distinctClaims(claims: readonly StepRef[], records: readonly StepRef[]): StepRef[] {
  const sorted = claims.toSorted(byKey);
  const recorded = new Set(records.map(keyOf));
  return sorted.filter((claim, index) => {
    const before = sorted[index - 1];
    return (before === undefined || byKey(before, claim) !== 0) && !recorded.has(keyOf(claim));
  });
}

function keyOf({ feedId, batchNo, step }: StepRef): string {
  return `${feedId}/${batchNo}/${step}`;
}

function byKey(a: StepRef, b: StepRef): number {
  if (a.feedId !== b.feedId) return a.feedId < b.feedId ? -1 : 1;
  return a.batchNo - b.batchNo || a.step - b.step;
}

/** Records first: the half with the claims may be tried alone. */
function halvesOf({ records, claims }: LedgerFlush): [LedgerFlush, LedgerFlush] {
  if (records.length > 0 && claims.length > 0) {
    return [
      { records, claims: [] },
      { records: [], claims },
    ];
  }
  const halfRecords = Math.ceil(records.length / 2);
  const halfClaims = Math.ceil(claims.length / 2);
  return [
    { records: records.slice(0, halfRecords), claims: claims.slice(0, halfClaims) },
    { records: records.slice(halfRecords), claims: claims.slice(halfClaims) },
  ];
}

function joined(left: LedgerFlushed, right: LedgerFlushed): LedgerFlushed {
  return {
    recorded: [...left.recorded, ...right.recorded],
    claimed: [...left.claimed, ...right.claimed],
    refused: [...left.refused, ...right.refused],
  };
}

/** Values that do not fit (22), broken constraints (23), program limits (54): SQLSTATE classes that another try would meet again. */
function isFaultOfTheData(error: unknown): error is Error {
  return error instanceof pg.DatabaseError && /^(22|23|54)/.test(error.code ?? '');
}
