import { describe, expect, it } from 'vitest';
import { authorized, someCampaign } from '../support/api-deps.ts';
import { apiOnPostgres } from '../support/api-on-postgres.ts';
import { auditRecord, auditVerification } from '../../shared/contracts/access/audit.ts';
import { addKeyByHand } from '../../shared/postgres/registry/add-api-key.ts';
import { noteSettings } from '../../shared/postgres/registry/service-settings.ts';
import { createRetentionStore } from '../../services/trigger/retain/postgres/retention.ts';
import { pageShape } from '../../services/api/frame/pages.contract.ts';

const on = apiOnPostgres();
const dayMs = 86_400_000;

const send = (method: 'POST' | 'GET', url: string, payload?: object) =>
  on.api.server.inject({ method, url, headers: authorized, ...(payload && { payload }) });
const verified = async (query = '') =>
  auditVerification.parse((await send('GET', `/v1/audit/verification${query}`)).json());
const listed = async (query = '') =>
  pageShape(auditRecord).parse((await send('GET', `/v1/audit${query}`)).json()).items;

async function change(times: number): Promise<void> {
  for (let place = 0; place < times; place++) await send('POST', '/v1/campaigns', someCampaign);
}

/** Changes rows like a superuser, whom no trigger stops. */
async function tamper(statement: string): Promise<void> {
  const client = await on.pool.connect();
  try {
    await client.query('set session_replication_role = replica');
    await client.query(statement);
  } finally {
    await client.query('set session_replication_role = origin');
    client.release();
  }
}

describe('the audit log', () => {
  it('is one hash chain for entries of the API, of keys made by hand and of changed service settings', async () => {
    await Promise.all([change(5), change(5), change(5)]);
    await addKeyByHand(on.pool, { name: 'first', role: 'operator', digest: 'd', by: 'a test' });
    await noteSettings(on.pool, 'api', { QUOTA_OPEN_RUNS: 7 });

    const [last] = await listed('?limit=1');
    expect(await verified()).toEqual({
      checked: 17,
      from: { number: 0, hash: '0'.repeat(64) },
      cut: { number: 0, hash: '0'.repeat(64) },
      to: { number: 17, hash: last?.hash },
      head: { number: 17, hash: last?.hash },
      next: null,
      broken: null,
    });
    expect(await verified('?after=10')).toMatchObject({ checked: 7, broken: null });
  });

  it('numbers concurrent entries consecutively without gaps', async () => {
    await Promise.all(Array.from({ length: 30 }, () => change(1)));

    const numbers = (await listed('?limit=100')).map(({ number }) => number).toSorted((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 30 }, (_, place) => place + 1));
    expect((await verified()).broken).toBeNull();
  });

  it.each([
    ['an entry that was changed', 'update audit_log set status = 409 where number = 2', 2, 'changed'],
    ['an entry whose detail was changed', `update audit_log set detail = '{"a":1}' where number = 3`, 3, 'changed'],
    [
      'an entry whose time was changed',
      `update audit_log set at = at - interval '1 ms' where number = 1`,
      1,
      'changed',
    ],
    ['an entry that was deleted', 'delete from audit_log where number = 2', 2, 'missing'],
    ['the last entry that was deleted', 'delete from audit_log where number = 4', 4, 'missing'],
    [
      'an entry that was inserted outside of the chain',
      `insert into audit_log (number, hash, method, route, status, request_id)
       select 5, hash, 'POST', '/v1/campaigns', 201, '' from audit_head`,
      5,
      'changed',
    ],
  ])('detects in its verification %s', async (_what, statement, number, what) => {
    await change(4);
    expect((await verified()).broken).toBeNull();

    await tamper(statement);

    expect((await verified()).broken).toMatchObject({ number, what });
  });

  it.each([
    ['update', 'update audit_log set status = 200'],
    ['delete', 'delete from audit_log'],
    ['truncate', 'truncate audit_log'],
  ])('is append-only: %s is refused for every role', async (verb, statement) => {
    await change(1);

    await expect(on.pool.query(statement)).rejects.toThrow(`the audit log only grows: ${verb} is refused`);

    expect(await verified()).toMatchObject({ checked: 1, broken: null });
  });

  it('is verified from the last entry that retention has deleted', async () => {
    await change(3);
    await on.passTime(31 * dayMs);
    await change(2);
    const retention = createRetentionStore({ pool: on.pool });

    expect(await retention.deleteChanges(400, 100)).toBe(0);
    expect(await retention.deleteChanges(1, 2)).toBe(2);
    expect(await verified()).toMatchObject({ checked: 3, broken: null });
    expect(await retention.deleteChanges(1, 100)).toBe(1);
    expect(await retention.deleteChanges(1, 100)).toBe(0);

    expect(await verified()).toMatchObject({ checked: 2, head: { number: 5 }, broken: null });
    expect(await verified('?after=1')).toMatchObject({ checked: 2, broken: null });
    await tamper('delete from audit_log where number = 4');
    expect((await verified()).broken).toMatchObject({ number: 4, what: 'missing' });
  });

  it('records the settings of a service only if they changed', async () => {
    await noteSettings(on.pool, 'api', { QUOTA_OPEN_RUNS: 7 });
    await noteSettings(on.pool, 'api', { QUOTA_OPEN_RUNS: 7 });
    await noteSettings(on.pool, 'api', { QUOTA_OPEN_RUNS: 9 });

    const reported = { keyId: null, method: 'PUT', route: '/settings', subject: 'api' };
    expect(await listed()).toMatchObject([
      { ...reported, number: 2, detail: { QUOTA_OPEN_RUNS: { now: '9', before: '7' } } },
      { ...reported, number: 1, detail: { QUOTA_OPEN_RUNS: { now: '7' } } },
    ]);
  });

  it('returns an entry by its number', async () => {
    await change(2);

    expect((await listed('?number=2')).map(({ number }) => number)).toEqual([2]);
    expect((await send('GET', '/v1/audit/verification?after=-1')).statusCode).toBe(422);
    expect((await send('GET', '/v1/audit?number=0')).statusCode).toBe(422);
  });
});
