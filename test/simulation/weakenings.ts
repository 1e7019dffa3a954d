import { randomUUID } from 'node:crypto';
import type { BatchEndpoint } from '../../services/worker/endpoint/batch-endpoint.port.ts';
import { statusQuery } from '../../shared/contracts/endpoints/batch-actions.ts';
import type { ClaimedStep, LedgerFlush, LedgerFlushed, StepRef, StepResult } from '../../shared/ports/step-ledger.ts';
import { batchKey, stepKey, type MemoryDatabase } from '../support/memory/memory-database.ts';
import type { StepRow } from '../support/memory/step-tables.ts';
import type { Weakening } from './processes.ts';
import { reservationWeakenings } from './reservation-weakenings.ts';

/** Each weakening removes one protection at the port that provides it. */
export const weakenings = {
  'request keys are not derived from the call': {
    endpoint: (endpoint) => ({
      ...endpoint,
      call: (request) => endpoint.call({ ...request, idempotencyKey: randomUUID() }),
    }),
  },
  'the status of a lost call is not queried': {
    endpoint: (endpoint) => ({ ...endpoint, askStatus: nobodyFound }),
  },
  'the status of a lost call is queried too early': changedResults((result) =>
    result.state === 'waiting' && result.open ? { ...result, delayMs: 0 } : result,
  ),
  'the status of a lost call under an expired lease is queried too early': {
    ledger: (ledger) => ({
      ...ledger,
      flush: async (flush) => {
        const flushed = await ledger.flush(flush);
        return { ...flushed, claimed: flushed.claimed.map((claim) => ({ ...claim, waited: true })) };
      },
    }),
  },
  'a call is sent regardless of its age': {
    endpoint: (endpoint) => ({
      ...endpoint,
      call: (request) => endpoint.call({ ...request, notAfterMs: Number.POSITIVE_INFINITY }),
    }),
  },
  'a lost call of class D is sent again': changedResults((result) => {
    if (result.state !== 'done' || !result.failures.some(({ outcome }) => outcome === 'unknown')) return result;
    const { feedId, batchNo, step, epoch } = result;
    const again = { delayMs: 0, open: false, answered: false, cause: null };
    return { feedId, batchNo, step, epoch, state: 'waiting', ...again };
  }),
  'claims do not return suppressed users': changedClaims(({ suppressed: _, ...claim }) => claim),
  'a lost claim of suppressed users leaves its key in doubt': {
    ledger: (ledger, database) => ({
      ...ledger,
      flush: async (flush) => {
        const flushed = await ledger.flush(flush);
        for (const claim of flushed.claimed) {
          const row = rowOf(database, claim);
          if (claim.suppressed && row) row.lapses = 0;
        }
        return flushed;
      },
    }),
  },
  'claims do not return their check': changedClaims(({ check: _, ...claim }) => claim),
  'a check is made for a call that was lost': changedClaims((claim) =>
    claim.open ? { ...claim, check: { tries: 0 } } : claim,
  ),
  'a lost claim of a step with a check leaves its key in doubt': {
    ledger: (ledger, database) => ({
      ...ledger,
      flush: async (flush) => {
        const flushed = await ledger.flush(flush);
        for (const claim of flushed.claimed) {
          const row = rowOf(database, claim);
          if (claim.check && row) row.lapses = 0;
        }
        return flushed;
      },
    }),
  },
  'no trigger sweeps': {
    outboxSweep: () => ({
      due: () => Promise.resolve({ offers: [], quarantined: [], more: [] }),
      nextDue: () => Promise.resolve(new Map()),
      revertOffers: () => Promise.resolve(),
      examine: () => Promise.resolve({ running: 0, next: null }),
    }),
  },
  'results are written under any epoch': changedResults((result, database) => {
    const row = rowOf(database, result);
    if (!row || row.epoch === result.epoch) return result;
    row.state = 'running';
    return { ...result, epoch: row.epoch };
  }),
  'a running step can be claimed while its lease runs': beforeClaims((row) => {
    if (row?.state === 'running') row.leaseUntilMs = 0;
  }),
  'child batches are not inserted': changedResults((result) =>
    result.state === 'done' ? { ...result, children: [] } : result,
  ),
  'a repeated result counts again': {
    ledger: (ledger, database) => ({
      ...ledger,
      flush: (flush) => {
        for (const result of flush.results) {
          const row = rowOf(database, result);
          if (row?.state === 'done' && row.epoch === result.epoch) row.state = 'running';
        }
        return ledger.flush(flush);
      },
    }),
  },
  'pages are written under any token': {
    feedStore: (store, database) => ({
      ...store,
      writePages: (pages) => {
        const row = database.feeds.get(pages.feedId);
        const first = row?.nextBatchNo ?? 1;
        const batches = pages.batches.map((batch, index) => ({ ...batch, batchNo: first + index }));
        return store.writePages({ ...pages, batches, token: row?.token ?? pages.token });
      },
    }),
  },
  'a claim does not require the previous step': {
    ledger: (ledger, database) => ({
      ...ledger,
      flush: async (flush) => {
        const batches = flush.claims.flatMap(({ feedId, batchNo, step }) => {
          const batch = database.batches.get(batchKey(feedId, batchNo));
          return batch ? [{ batch, step, fromStep: batch.fromStep }] : [];
        });
        for (const { batch, step } of batches) batch.fromStep = step;
        const flushed = ledger.flush(flush);
        for (const { batch, fromStep } of batches.toReversed()) batch.fromStep = fromStep;
        return flushed;
      },
    }),
  },
  'lost users are taken from the message instead of the rows': {
    ledger: (ledger) => ({
      ...ledger,
      flush: async (flush) => {
        const claims = flush.claims.map(({ feedId, batchNo, step }) => ({ feedId, batchNo, step }));
        return { ...(await ledger.flush({ ...flush, claims })), contradicted: [] };
      },
    }),
  },
  'a release forgets that its key is open': changedResults((result) =>
    result.state === 'waiting' ? { ...result, open: false } : result,
  ),
  'a take-over counts no expired lease and closes the key': beforeClaims((row, nowMs) => {
    if (row?.state === 'running' && row.leaseUntilMs < nowMs) {
      Object.assign(row, { state: 'waiting', nextAttemptAtMs: nowMs });
    }
  }),
  'the agenda is not written': {
    ledger: (ledger, database) => ({
      ...ledger,
      flush: (flush) => {
        const before = new Set(database.agenda.keys());
        const flushed = ledger.flush(flush);
        for (const key of [...database.agenda.keys()]) if (!before.has(key)) database.agenda.delete(key);
        return flushed;
      },
    }),
  },
  'the end of a run leaves its feeds open to writers': {
    runStore: (store, database) => ({
      ...store,
      end: (runId, decide) => keepingTokens(database, () => store.end(runId, decide)),
      finish: (runId, state, reason) => keepingTokens(database, () => store.finish(runId, state, reason)),
    }),
  },
  'unknown users are retried as if they had failed': {
    runStore: (store, database) => ({
      ...store,
      beginRetry: (runId) => {
        const unknown = database.failures.filter(({ outcome }) => outcome === 'unknown');
        for (const failure of unknown) failure.outcome = 'failed';
        const begun = store.beginRetry(runId);
        for (const failure of unknown) failure.outcome = 'unknown';
        return begun;
      },
    }),
  },
  'workers do not receive a pause': {
    contexts: (contexts) => ({
      ...contexts,
      admissions: async (feedIds) => {
        const seen = await contexts.admissions(feedIds);
        return seen.map((admission) => (admission.verdict === 'hold' ? { ...admission, verdict: 'go' } : admission));
      },
    }),
  },
  'quarantined steps are never ended': {
    stepEndings: (endings) => ({ ...endings, endQuarantined: () => Promise.resolve(0) }),
  },
  ...reservationWeakenings,
  'an ending ignores calls in doubt': {
    stepEndings: (endings, database) => ({
      ...endings,
      endOpen: (feed, outcome, window) => {
        for (const row of database.steps.values()) {
          if (row.state !== 'done') Object.assign(row, { open: false, ...(row.state === 'running' && certainlyIdle) });
        }
        return endings.endOpen(feed, outcome, window);
      },
    }),
  },
} satisfies Record<string, Weakening>;

const nobodyFound: BatchEndpoint['askStatus'] = ({ body }) => {
  const { users } = statusQuery.parse(JSON.parse(body.toString('utf8')));
  const results = users.map((id) => ({ id, status: 'not-found' }));
  const answer = Buffer.from(JSON.stringify({ results }));
  return Promise.resolve({ kind: 'answered', status: 200, retryAfterMs: null, body: answer });
};

/** Treats each lapse as that of a call that had not begun. */
const certainlyIdle = { lapses: 1, begun: false };

function rowOf({ steps }: MemoryDatabase, { feedId, batchNo, step }: StepRef): StepRow | undefined {
  return steps.get(stepKey(feedId, batchNo, step));
}

function beforeClaims(change: (row: StepRow | undefined, nowMs: number) => void): Weakening {
  return {
    ledger: (ledger, database) => ({
      ...ledger,
      flush: (flush) => {
        for (const claim of flush.claims) change(rowOf(database, claim), database.clock.nowMs());
        return ledger.flush(flush);
      },
    }),
  };
}

/** Changes the claims that a worker receives. */
function changedClaims(change: (claim: ClaimedStep) => ClaimedStep): Weakening {
  return {
    ledger: (ledger) => ({
      ...ledger,
      flush: async (flush) => {
        const flushed = await ledger.flush(flush);
        return { ...flushed, claimed: flushed.claimed.map(change) };
      },
    }),
  };
}

/** Changes the results before the ledger gets them. The caller gets the answer for its original results. */
function changedResults(change: (result: StepResult, database: MemoryDatabase) => StepResult): Weakening {
  return {
    ledger: (ledger, database) => ({
      ...ledger,
      flush: async (flush: LedgerFlush): Promise<LedgerFlushed> => {
        const given = new Map(flush.results.map((result) => [change(result, database), result]));
        const flushed = await ledger.flush({ ...flush, results: [...given.keys()] });
        const recorded = flushed.recorded.map((result) => given.get(result) ?? result);
        const children = flushed.children.map((child) => {
          const result = given.get(child.result);
          return { ...child, result: result?.state === 'done' ? result : child.result };
        });
        const timed = flushed.timed.map((step) => ({ ...step, result: given.get(step.result) ?? step.result }));
        return { ...flushed, recorded, children, timed };
      },
    }),
  };
}

async function keepingTokens<Value>(database: MemoryDatabase, call: () => Promise<Value>): Promise<Value> {
  const before = [...database.feeds.values()].map((row) => ({ row, token: row.token, owner: row.owner }));
  const value = call();
  for (const { row, token, owner } of before) Object.assign(row, { token, owner });
  return value;
}
