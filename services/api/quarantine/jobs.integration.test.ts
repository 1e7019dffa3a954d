import { describe, expect, it } from 'vitest';
import { newClientOf } from '../../../test/support/clients.ts';
import { decidedItems } from '../../../shared/contracts/quarantine/items.ts';
import {
  jobDecision,
  quarantinedJob,
  quarantinedJobDetail,
  quarantinedJobGroup,
} from '../../../shared/contracts/quarantine/jobs.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { clientIdOf, jobIdOf } from '../../../test/support/conformance/job-subject.ts';
import { letDie } from '../../../test/support/postgres-call-ledger.ts';
import { postgresJobSubject } from '../../../test/support/postgres-job-subject.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { problem } from '../frame/problems.contract.ts';
import { createClientStore } from '../clients/postgres/client-store.ts';

const on = apiOnPostgres();
const { ask } = on;

/** Stores a job whose last call has failed. */
async function die(number: number, cause: string, expiresInMs?: number): Promise<string> {
  const job = { jobId: jobIdOf(number), clientId: clientIdOf(1), dueInMs: 0, body: '{"a":1}' };
  const client = "insert into clients (id, name, definition) values ($1, 'one', '{}') on conflict do nothing";
  await on.pool.query(client, [clientIdOf(1)]);
  const keys = await postgresJobSubject(on.pool).add([{ ...job, ...(expiresInMs !== undefined && { expiresInMs }) }]);
  await letDie(on.pool, keys, cause);
  // Replaces the column's default, which is the time of the server's real clock.
  await on.pool.query('update dead_jobs set died_at = now() where id = $1', [jobIdOf(number)]);
  return publicId('job', jobIdOf(number));
}

/** Returns the pending jobs in the order of their due times. */
async function pending() {
  const { rows } = await on.pool.query<{ attempt: number; dueInMs: number; expiresAt: Date | null }>(
    `select attempt, (extract(epoch from due_at - now()) * 1000)::int as "dueInMs", expires_at as "expiresAt"
     from jobs order by due_at`,
  );
  return rows;
}

describe('quarantined jobs over the API', () => {
  it('are listed, grouped by client and cause, and returned with all their fields', async () => {
    const id = await die(1, 'status 500');
    await die(2, 'connection refused');
    const client = publicId('client', clientIdOf(1));
    const groups = pageShape(quarantinedJobGroup).parse((await ask('GET', '/v1/quarantine/jobs/groups')).json());
    expect(groups.items.map(({ clientId, reason, items }) => [clientId, reason, items])).toEqual([
      [client, 'connection refused', 1],
      [client, 'status 500', 1],
    ]);
    const page = pageShape(quarantinedJob).parse((await ask('GET', '/v1/quarantine/jobs?reason=status%20500')).json());
    expect(page.items).toMatchObject([
      { kind: 'job', id, clientId: client, reason: 'status 500', status: 500, expired: false },
    ]);
    const detail = quarantinedJobDetail.parse((await ask('GET', `/v1/quarantine/jobs/${id}`)).json());
    expect(detail).toMatchObject({ id, body: '{"a":1}', answer: 'sorry', attempts: 1 });
  });

  it('are listed in pages', async () => {
    for (const number of [1, 2, 3]) await die(number, 'status 500');
    const first = pageShape(quarantinedJob).parse((await ask('GET', '/v1/quarantine/jobs?limit=2')).json());
    const second = pageShape(quarantinedJob).parse(
      (await ask('GET', `/v1/quarantine/jobs?limit=2&cursor=${first.next}`)).json(),
    );
    expect([first.items.length, second.items.length, second.next]).toEqual([2, 1, null]);
    expect((await ask('GET', '/v1/quarantine/jobs?cursor=nonsense')).statusCode).toBe(422);
  });

  it('can be replayed one by one, and unknown jobs are not found', async () => {
    const id = await die(1, 'status 500');
    const replayed = await ask('POST', `/v1/quarantine/jobs/${id}/replay`, {});
    expect(jobDecision.parse(replayed.json())).toEqual({ kind: 'job', id, state: 'replayed' });
    expect((await ask('POST', `/v1/quarantine/jobs/${id}/replay`, {})).statusCode).toBe(404);
    expect(await pending()).toEqual([{ attempt: 1, dueInMs: 0, expiresAt: null }]);
  });

  it('are replayed after their expiry only if withExpired is set', async () => {
    const id = await die(1, 'status 500', 1000);
    await on.passTime(1000);
    const refused = await ask('POST', `/v1/quarantine/jobs/${id}/replay`, {});
    expect([refused.statusCode, problem.parse(refused.json()).code]).toEqual([409, 'expired']);
    expect(decidedItems.parse((await ask('POST', '/v1/quarantine/jobs/replay', { all: true })).json())).toEqual({
      items: 0,
      expired: 1,
    });
    expect((await ask('POST', `/v1/quarantine/jobs/${id}/replay`, { withExpired: true })).statusCode).toBe(200);
    expect(await pending()).toMatchObject([{ expiresAt: null }]);
  });

  it('can be replayed by cause at a given rate, and a selection without filters is refused', async () => {
    for (const number of [1, 2, 3]) await die(number, 'status 500');
    await die(4, 'connection refused');
    const replayed = await ask('POST', '/v1/quarantine/jobs/replay', { reason: 'status 500', perSecond: 2 });
    expect(decidedItems.parse(replayed.json())).toEqual({ items: 3, expired: 0 });
    expect((await pending()).map(({ dueInMs }) => dueInMs)).toEqual([0, 500, 1000]);
    expect((await ask('POST', '/v1/quarantine/jobs/replay', {})).statusCode).toBe(422);
    expect((await ask('POST', '/v1/quarantine/jobs/replay', { client: 'nobody' })).statusCode).toBe(422);
  });

  it('can be discarded one by one, stay among the ended jobs and are not called again', async () => {
    const [id, other] = [await die(1, 'status 500'), await die(2, 'status 500')];
    const discarded = await ask('POST', `/v1/quarantine/jobs/${id}/discard`);
    expect(jobDecision.parse(discarded.json())).toEqual({ kind: 'job', id, state: 'discarded' });
    expect((await ask('POST', `/v1/quarantine/jobs/${id}/discard`)).statusCode).toBe(404);
    expect((await ask('POST', `/v1/quarantine/jobs/${id}/replay`, {})).statusCode).toBe(404);
    expect((await ask('GET', `/v1/jobs/${id}`)).json()).toMatchObject({ id, state: 'dead' });
    const page = pageShape(quarantinedJob).parse((await ask('GET', '/v1/quarantine/jobs')).json());
    expect(page.items.map((job) => job.id)).toEqual([other]);
    expect(await pending()).toEqual([]);
  });

  it('can be discarded by client and cause, and the number is in the audit log; a selection without filters is refused', async () => {
    for (const number of [1, 2, 3]) await die(number, 'status 410');
    const other = await die(4, 'connection refused');
    const wanted = { client: publicId('client', clientIdOf(1)), reason: 'status 410' };
    const discarded = await ask('POST', '/v1/quarantine/jobs/discard', wanted);
    expect(decidedItems.parse(discarded.json())).toEqual({ items: 3, expired: 0 });
    const page = pageShape(quarantinedJob).parse((await ask('GET', '/v1/quarantine/jobs')).json());
    expect(page.items.map((job) => job.id)).toEqual([other]);
    const recorded = await on.rowsOf('audit_log');
    expect(recorded.find(({ route }) => route === '/v1/quarantine/jobs/discard')).toMatchObject({
      detail: { ...wanted, items: 3, expired: 0 },
    });
    expect((await ask('POST', '/v1/quarantine/jobs/discard', {})).statusCode).toBe(422);
    expect((await ask('POST', '/v1/quarantine/jobs/discard', { all: true })).json()).toEqual({ items: 1, expired: 0 });
  });

  it('are found by the name of a client that another process has just created', async () => {
    const others = createClientStore({ pool: on.pool });
    const made = await others.create(newClientOf('fresh', { clientId: clientIdOf(1) }));
    expect(made?.name).toBe('fresh');
    const id = await die(1, 'status 500');
    const page = pageShape(quarantinedJob).parse((await ask('GET', '/v1/quarantine/jobs?client=fresh')).json());
    expect(page.items.map((job) => job.id)).toEqual([id]);
  });
});
