import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { reopenStep } from '../../services/api/quarantine/postgres/step-statements.ts';
import type { ClaimedStep, LedgerFlush, StepLedger, StepRef } from '../../shared/ports/step-ledger.ts';
import { quarantinedAfterLapses } from '../../shared/postgres/ledger/ledger-codes.ts';
import { createHotPathPool } from '../../shared/postgres/connection/pool.ts';
import { capOf, effectsOf, setCaps } from '../support/capped-effects.ts';
import { doneOf, failed, leaseMs, record, startFedRun, waitingOf } from '../support/conformance/execution-subject.ts';
import { databaseForFile } from '../support/file-database.ts';
import { makeClockSettable, onSettableClock, setClock } from '../support/postgres-clock.ts';
import { createPostgresExecutionStores } from '../support/postgres-execution-stores.ts';

const database = databaseForFile(createHotPathPool);
const action = 'send-message';
const chain = [{ action, params: {} }];

let pool: Pool;
let nowMs: number;
let subject: ReturnType<typeof createPostgresExecutionStores>;
let ledger: StepLedger;

async function passTime(ms: number): Promise<void> {
  nowMs += ms;
  await setClock(database.pool, nowMs);
}

beforeAll(async () => {
  await makeClockSettable(database.pool);
  pool = database.open(createHotPathPool, { connectionString: onSettableClock(database.url) });
});

beforeEach(async () => {
  await database.empty();
  nowMs = Date.now();
  await setClock(database.pool, nowMs);
  subject = createPostgresExecutionStores({ pool, passTime });
  ledger = subject.ledgerOf('a');
  await setCaps(database.pool, [capOf({ effects: 2 })]);
});

/** Claims a step as a worker that knows the action types does. */
async function claim(ref: StepRef): Promise<ClaimedStep> {
  const { claimed } = await flush({ claims: [ref] });
  return claimed[0] ?? expect.fail(`step ${ref.step} of batch ${ref.batchNo} was not free`);
}

function flush(wanted: Partial<LedgerFlush>) {
  const terms = { actionTypeOf: () => action, countryOf: () => 'SG' };
  return ledger.flush({ results: [], claims: [], begins: [], ...terms, ...wanted });
}

/** Reserves effects for a claim that never comes, as a worker that dies between both does. */
async function reserveAlone({ feedId, batchNo, step }: StepRef): Promise<void> {
  await pool.query('select from reserve_effects($1, $2, $3, $4, $5)', [[feedId], [batchNo], [step], [action], ['UTC']]);
}

const ref = (feedId: string, batchNo: number): StepRef => ({ feedId, batchNo, step: 1 });

describe('effects that caps count', () => {
  it.each(['expired', 'cancelled'] as const)('end with a step that ends as %s before any call', async (outcome) => {
    const { feedId } = await startFedRun(subject, [['u1'], ['u2'], ['u3'], ['u4']], { chain });
    await claim(ref(feedId, 1));
    await record(ledger, waitingOf(await claim(ref(feedId, 2)), { open: true }));
    await record(ledger, waitingOf(await claim(ref(feedId, 3))));
    for (const batchNo of [3, 4]) {
      await passTime(leaseMs + 1);
      await reserveAlone(ref(feedId, batchNo));
    }
    expect((await effectsOf(pool, feedId)).map(({ users }) => users)).toEqual([['u1'], ['u2'], ['u3'], ['u4']]);

    await subject.endings.endOpen({ feedId, chainLength: 1 }, outcome, { from: 1, limit: 100 });

    expect(await effectsOf(pool, feedId)).toEqual([
      { batchNo: 1, step: 1, users: ['u1'] },
      { batchNo: 2, step: 1, users: ['u2'] },
    ]);
  });

  it('stay while their step is quarantined, and after its replay until the call is settled', async () => {
    const { feedId } = await startFedRun(subject, [['u1', 'u2']], { chain });
    const step = ref(feedId, 1);
    for (let lapses = 0; lapses <= quarantinedAfterLapses; lapses++) {
      const { epoch } = await claim(step);
      if (lapses > 0) await flush({ begins: [{ ...step, epoch }] });
      await passTime(leaseMs + 1);
    }
    expect(await subject.endings.endQuarantined([step])).toBe(1);
    const kept = [{ batchNo: 1, step: 1, users: ['u1', 'u2'] }];
    expect(await effectsOf(pool, feedId)).toEqual(kept);

    await setCaps(database.pool, [capOf({ effects: 1 })]);
    const { rows } = await pool.query<{ id: string }>('select id from quarantined_steps');
    expect((await pool.query(reopenStep, [rows[0]?.id])).rowCount).toBe(1);
    expect(await effectsOf(pool, feedId)).toEqual(kept);
    const replayed = await claim(step);
    expect(replayed).toMatchObject({ open: true });
    expect(replayed.capped).toBeUndefined();
    await flush({ results: [doneOf(replayed, { failures: [failed('u1')] })] });
    expect(await effectsOf(pool, feedId)).toEqual([{ ...kept[0], users: ['u2'] }]);
  });

  it('end for users that are settled as failed, and stay for users that are settled as succeeded', async () => {
    const { runId, feedId } = await startFedRun(subject, [['u1', 'odd, "id"', 'u3', 'u4'], ['u5']], { chain });
    const lost = { outcome: 'unknown', reason: 'muster.ambiguous-answer', detail: null } as const;
    const [one, two] = [await claim(ref(feedId, 1)), await claim(ref(feedId, 2))];
    const failures = ['odd, "id"', 'u3', 'u4'].map((user) => ({ user, ...lost }));
    await flush({ results: [doneOf(one, { failures }), doneOf(two, { failures: [{ user: 'u5', ...lost }] })] });
    await subject.runs.finish(runId, 'completed_with_failures', null);
    const settlementId = uuidv7();
    const apiKey = { keyId: uuidv7(), name: 'ops' };
    await subject.settlementRequests.begin({ settlementId, runId, method: 'hand', apiKey, step: null, country: null });

    const settle = (user: string, outcome: 'succeeded' | 'failed') => {
      const settled = { user, step: 1, country: null, outcome, reason: 'reported', detail: null };
      return subject.settlements.settle({ settlementId, runId }, [settled]);
    };
    await settle('odd, "id"', 'failed');
    await settle('u3', 'succeeded');
    await settle('u5', 'failed');

    expect(await effectsOf(pool, feedId)).toEqual([
      { batchNo: 1, step: 1, users: ['u1', 'u3', 'u4'] },
      { batchNo: 2, step: 1, users: [] },
    ]);
  });
});
