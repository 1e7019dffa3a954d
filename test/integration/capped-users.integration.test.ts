import pg, { type Pool, type PoolClient, type QueryConfig } from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import { createHotPathPool } from '../../shared/postgres/connection/pool.ts';
import { createStepLedger } from '../../shared/postgres/ledger/step-ledger.ts';
import type { LedgerFlushed, StepLedger, StepRef } from '../../shared/ports/step-ledger.ts';
import { usersOf } from '../../shared/domain/step/users-text.ts';
import {
  doneOf,
  failed,
  leaseMs,
  someUsers,
  startFedRun,
  waitingOf,
  type ExecutionSubject,
} from '../support/conformance/execution-subject.ts';
import { databaseForFile } from '../support/file-database.ts';
import { untilOneWaits } from '../support/lock-waits.ts';
import { createPostgresExecutionStores } from '../support/postgres-execution-stores.ts';

const database = databaseForFile(createHotPathPool);
const always = new Date(0);
const cap = { name: 'one', actionTypes: ['award-reward'], effects: 1, days: 7, counting: 'rolling' } as const;

describe('reservations of effects on Postgres', () => {
  let subject: ExecutionSubject;
  let ledger: StepLedger;
  let pool: Pool;
  beforeEach(async () => {
    await database.empty();
    ({ pool } = database);
    const passTime = () => Promise.reject(new Error('this clock cannot be set'));
    subject = createPostgresExecutionStores({ pool, passTime });
    ledger = subject.ledgerOf('a');
    await subject.setCaps([{ ...cap, countsFrom: always }]);
  });

  const startOne = async (...users: string[]): Promise<StepRef> => {
    const { steps } = await startFedRun(subject, [users]);
    return steps[0] ?? expect.fail('the run has no batch');
  };
  const claim = (...claims: StepRef[]): Promise<LedgerFlushed> =>
    ledger.flush({ results: [], claims, begins: [], actionTypeOf: () => 'award-reward' });
  const claimOne = async (ref: StepRef) => {
    const { claimed } = await claim(ref);
    return claimed[0] ?? expect.fail('the step was not free');
  };
  const release = async (ref: StepRef) => {
    const results = [waitingOf(await claimOne(ref), { delayMs: 0 })];
    await ledger.flush({ results, claims: [], begins: [], actionTypeOf: () => 'award-reward' });
  };
  const cappedIn = async (...users: string[]) => {
    const { capped = [] } = await claimOne(await startOne(...users));
    return capped.map(({ user }) => user);
  };
  const keyOf = ({ feedId, batchNo, step }: StepRef) => [feedId, batchNo, step];
  const ofKey = 'where feed = $1 and batch_no = $2 and step = $3';
  const usersOfRow = async (ref: StepRef) => {
    const { rows } = await pool.query<{ users: string }>(`select users from capped_effects ${ofKey}`, keyOf(ref));
    return rows[0]?.users;
  };
  /** Runs a task during a transaction of another session. */
  const during = async <Result>(
    rival: (client: PoolClient) => Promise<unknown>,
    task: (end: () => Promise<unknown>) => Promise<Result>,
  ): Promise<Result> => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      await rival(client);
      return await task(() => client.query('commit'));
    } finally {
      await client.query('rollback');
      client.release();
    }
  };
  /** Runs a flush that waits for a lock of another session's transaction, which then ends. */
  const delayedBy = (
    rival: (client: PoolClient) => Promise<unknown>,
    ref: StepRef,
    meanwhile?: () => Promise<unknown>,
  ) =>
    during(rival, async (end) => {
      const flushing = claim(ref);
      await untilOneWaits(pool);
      await meanwhile?.();
      await end();
      return flushing;
    });
  const lockStep = (ref: StepRef) => (client: PoolClient) =>
    client.query(`select from batch_steps ${ofKey} for update`, keyOf(ref));

  it('return claims as busy while another transaction reserves effects in their country, and only these', async () => {
    const ref = await startOne('u1');
    const { steps } = await startFedRun(subject, [['u1']], { countries: ['ID'] });
    const first = await during(
      (client) => client.query(`select pg_advisory_xact_lock(hashtextextended('caps SG', 0))`),
      () => claim(ref, ...steps),
    );
    expect([first.busy, first.claimed.map(({ feedId }) => feedId)]).toEqual([[ref], steps.map(({ feedId }) => feedId)]);
    const again = await during(
      (client) => client.query(`select pg_advisory_xact_lock(hashtextextended('caps SG', 0))`),
      () => claim(ref),
    );
    expect([again.busy, again.claimed.length]).toEqual([[ref], 0]);
    const last = await claim(ref);
    expect([last.busy, last.claimed.length]).toEqual([[], 1]);
  });

  it('return a claim as busy while another transaction settles the effects of its step', async () => {
    const ref = await startOne('u1');
    await release(ref);
    await pool.query(
      `insert into capped_effects (feed, batch_no, step, action_type, country, campaign, users, span)
      select $1, $2, $3, 'award-reward', 'SG', campaign, '"u1"', span_of_users('SG', 'u1', 'u1')
      from runs where id = (select run from feeds where feed = $1)`,
      keyOf(ref),
    );
    const first = await during(
      (client) => client.query(`select from capped_effects ${ofKey} for update`, keyOf(ref)),
      () => claim(ref),
    );
    expect([first.busy, first.claimed.length]).toEqual([[ref], 0]);
    expect((await claim(ref)).claimed).toHaveLength(1);
  });

  it('delay no results if they take too long', async () => {
    const owned = await claimOne(await startOne('u1'));
    const ref = await startOne('u2');
    const canceled = Object.assign(new pg.DatabaseError('canceling statement', 0, 'error'), { code: '57014' });
    const query = (config: QueryConfig) =>
      config.name === 'reserve-effects' ? Promise.reject(canceled) : pool.query(config);
    const get = (target: Pool, name: string): unknown => (name === 'query' ? query : Reflect.get(target, name));
    const slowPool = new Proxy(pool, { get });
    const slow = createStepLedger({ pool: slowPool, owner: 'slow', slot: 1, leaseMs });
    const flush = { results: [doneOf(owned)], claims: [ref], begins: [], actionTypeOf: () => 'award-reward' };
    // The first flush learns which action types have a cap.
    await slow.flush({ ...flush, results: [] });
    expect(await slow.flush(flush)).toMatchObject({ recorded: [{ feedId: owned.feedId }], claimed: [], busy: [ref] });
  });

  it('are made again if another worker deleted them before the claim', async () => {
    const ref = await startOne('u1');
    await release(ref);
    const flushed = await delayedBy(lockStep(ref), ref, () =>
      pool.query(`delete from capped_effects ${ofKey}`, keyOf(ref)),
    );
    expect(flushed.claimed).toEqual([]);
    expect(await cappedIn('u1')).toEqual([]);
    expect((await claim(ref)).claimed).toMatchObject([{ capped: [{ user: 'u1' }], open: false }]);
  });

  it('are made again if another worker reserved other users before the claim', async () => {
    const ref = await startOne('u1', 'u2');
    await release(ref);
    const flushed = await delayedBy(lockStep(ref), ref, () =>
      pool.query(`update capped_effects set users = '"u2"' ${ofKey}`, keyOf(ref)),
    );
    expect(flushed.claimed).toEqual([]);
    expect((await claim(ref)).claimed).toHaveLength(1);
  });

  it('are made for a step that its worker releases after the look for due steps', async () => {
    const ref = await startOne('u1');
    await claimOne(ref);
    const flushed = await delayedBy(async (client) => {
      const change = 'set state = 2, lease_until = null, next_attempt_at = now()';
      await client.query(`update batch_steps ${change} ${ofKey}`, keyOf(ref));
      await client.query(`delete from capped_effects ${ofKey}`, keyOf(ref));
    }, ref);
    expect(flushed.claimed).toEqual([]);
    expect(await cappedIn('u1')).toEqual([]);
    expect((await claim(ref)).claimed).toMatchObject([{ capped: [{ user: 'u1' }] }]);
  });

  it('are made for a step whose step before ends after the look for due steps', async () => {
    const ref = await startOne('u1');
    await claimOne(ref);
    const next = { ...ref, step: 2 };
    const flushed = await delayedBy(async (client) => {
      await client.query('lock table batch_steps in share row exclusive mode');
      await client.query(`update batch_steps set state = 3, rest = 1, rest_users = 1 ${ofKey}`, keyOf(ref));
    }, next);
    expect(flushed.claimed).toEqual([]);
    expect((await claim(next)).claimed).toMatchObject([{ capped: [{ user: 'u1' }] }]);
  });

  it('are made again if the caps change before the claim', async () => {
    await subject.setCaps([{ ...cap, effects: 2, countsFrom: always }]);
    await claimOne(await startOne('u1'));
    const ref = await startOne('u1');
    const other = await claimOne(await startOne('u2'));
    // The flush releases a step between the reservation and the claim, and waits for the row of that step.
    const flushed = await during(lockStep(other), async (end) => {
      const results = [waitingOf(other)];
      const flushing = ledger.flush({ results, claims: [ref], begins: [], actionTypeOf: () => 'award-reward' });
      await untilOneWaits(pool);
      await subject.setCaps([{ ...cap, countsFrom: always }]);
      await end();
      return flushing;
    });
    expect(flushed.claimed).toMatchObject([{ capped: [{ user: 'u1', effects: 1 }] }]);
  });

  it('are deleted if the step ends before the claim without a call', async () => {
    const ref = await startOne('u1');
    await release(ref);
    const flushed = await delayedBy(
      (client) => client.query(`update batch_steps set state = 3, rest = 3, rest_users = 1 ${ofKey}`, keyOf(ref)),
      ref,
    );
    expect(flushed.claimed).toEqual([]);
    expect(await usersOfRow(ref)).toBeUndefined();
  });

  it('do not change the effects of a step that its owner records meanwhile', async () => {
    await claimOne(await startOne('u1', 'u9'));
    const first = await startOne('u4', 'u5');
    const second = await startOne('u2', 'u3');
    const owned = await claimOne(second);
    await pool.query(`update batch_steps set lease_until = now() - interval '1 s' ${ofKey}`, keyOf(second));
    const addRow = (client: PoolClient) =>
      client.query(
        `insert into capped_effects (feed, batch_no, step, action_type, country, campaign, users, span)
        select $1, $2, $3, 'award-reward', 'SG', campaign, '"u4","u5"', span_of_users('SG', 'u4', 'u5')
        from runs where id = (select run from feeds where feed = $1)`,
        keyOf(first),
      );
    const flushed = await during(addRow, async (end) => {
      const flushing = claim(first, second);
      await untilOneWaits(pool);
      const results = [doneOf(owned, { failures: [failed('u2')] })];
      await ledger.flush({ results, claims: [], begins: [], actionTypeOf: () => 'award-reward' });
      await end();
      return flushing;
    });
    expect(flushed.claimed.map(({ feedId }) => feedId)).toEqual([first.feedId]);
    expect(await usersOfRow(second)).toBe('"u3"');
  });

  it('find the effects of users that are far apart, among those of many other users', async () => {
    const served = ['a', ',', 'm "n"', 'ü', 'z'].toSorted();
    await claimOne(await startOne(...served));
    await pool.query(
      `insert into capped_effects (feed, batch_no, step, action_type, country, campaign, users, span)
      select f.feed, 1000 + n, 1, 'award-reward', 'SG', r.campaign, to_json('n' || n)::text,
        span_of_users('SG', 'n' || n, 'n' || n)
      from feeds f join runs r on r.id = f.run cross join generate_series(1, 300) n`,
    );
    expect((await cappedIn(...[...served, 'b', 'n', 'y'].toSorted())).toSorted()).toEqual(served);
    expect(await cappedIn('c', 'n7', 'x')).toEqual(['n7']);
  });

  it('give each user one effect if several workers claim overlapping batches of five campaigns at once', async () => {
    const users = someUsers(60);
    const refs: StepRef[] = [];
    for (const size of [5, 6, 10, 12, 15]) {
      const batches = Array.from({ length: 60 / size }, (_, index) => users.slice(index * size, (index + 1) * size));
      refs.push(...(await startFedRun(subject, batches)).steps);
    }
    const effects = new Map<string, number>();
    const serve = async (worker: StepLedger, ref: StepRef): Promise<void> => {
      const flush = { results: [], begins: [], actionTypeOf: () => 'award-reward' };
      const { claimed, busy } = await worker.flush({ ...flush, claims: [ref] });
      if (busy.length > 0) return serve(worker, ref);
      const [step = expect.fail('the step was not free')] = claimed;
      const capped = new Set((step.capped ?? []).map(({ user }) => user));
      const called = usersOf(step.users).filter((user) => !capped.has(user));
      for (const user of called) effects.set(user, (effects.get(user) ?? 0) + 1);
      const failures = [...capped].map((user) => failed(user, { outcome: 'suppressed' }));
      await worker.flush({ ...flush, claims: [], results: [doneOf(step, { failures })] });
    };
    const workers = (['a', 'b', 'a', 'b'] as const).map((name) => subject.ledgerOf(name));
    const waiting = refs.toSorted((a, b) => a.batchNo - b.batchNo);
    await Promise.all(
      workers.map(async (worker) => {
        for (let ref = waiting.shift(); ref; ref = waiting.shift()) await serve(worker, ref);
      }),
    );
    expect(users.map((user) => effects.get(user))).toEqual(users.map(() => 1));
  });

  it('count calendar days of zones that Postgres does not know from the earliest midnight on', async () => {
    const { rows } = await pool.query<{ known: Date; unknown: Date; earliest: Date }>(
      `select beginning_of_days(1, '{UTC}') as known, beginning_of_days(1, '{UTC,No/Zone}') as unknown,
        date_trunc('day', now() at time zone 'Etc/GMT-14') at time zone 'Etc/GMT-14' as earliest`,
    );
    const [row] = rows;
    const earlier = Math.min(row?.known.getTime() ?? 0, row?.earliest.getTime() ?? 0);
    expect(row?.unknown.getTime()).toBe(earlier);
  });
});
