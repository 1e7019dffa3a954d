import { beforeEach, describe, expect, it } from 'vitest';
import { jobShape, jobSummary } from '../../shared/contracts/jobs/job-shapes.ts';
import { acceptedJob } from '../../shared/contracts/jobs/jobs.ts';
import { resentJobs } from '../../shared/contracts/jobs/job-lists.ts';
import { uuidOf } from '../../shared/domain/ids/ids.ts';
import { jobPartitionOf } from '../../shared/domain/job/job-ids.ts';
import { createCallLedger } from '../../services/dispatcher/postgres/call-ledger.ts';
import type { JobVerdict } from '../../services/dispatcher/ports/call-ledger.ts';
import { pageShape } from '../../services/api/frame/pages.contract.ts';
import { problem } from '../../services/api/frame/problems.contract.ts';
import { apiOnPostgres } from '../support/api-on-postgres.ts';

const on = apiOnPostgres();
const { ask } = on;
beforeEach(() => ask('POST', '/v1/clients', { name: 'orders' }));

const url = 'https://shop.test/hook';
const schedule = async (changes: object = {}) =>
  acceptedJob.parse((await ask('POST', '/v1/jobs', { client: 'orders', url, ...changes })).json()).id;
const displayed = async (id: string) => jobShape.parse((await ask('GET', `/v1/jobs/${id}`)).json());
const listed = async (query: string) =>
  pageShape(jobSummary)
    .parse((await ask('GET', `/v1/jobs?client=orders${query}`)).json())
    .items.map(({ id, priority }) => [id, priority]);
const uuid = (id: string) => uuidOf('job', id) ?? expect.fail(`${id} is no id of a job`);

/** Returns the priorities as looks read them. */
async function storedPriorities(): Promise<(string | null)[]> {
  const { rows } = await on.pool.query<{ priority: string | null }>('select priority from jobs order by scheduled_for');
  return rows.map(({ priority }) => priority);
}

/** Ends a job like the dispatcher that calls it. */
async function end(id: string, verdict: JobVerdict): Promise<void> {
  const region = () => ({ name: 'local', epoch: 1 });
  const ledger = createCallLedger({ pool: on.pool, owner: 'a dispatcher', slot: 1, leaseMs: 60_000, region });
  const jobId = uuid(id);
  const { rows } = await on.pool.query<{ us: number }>(
    'select extract(epoch from due_at)::float8 * 1000000 as us from jobs where id = $1',
    [jobId],
  );
  const claims = [{ partition: jobPartitionOf(jobId), dueUs: Math.round(rows[0]?.us ?? 0), jobId }];
  const [claimed] = (await ledger.flush({ results: [], claims })).claimed;
  if (!claimed) expect.fail('it was not claimed');
  const note = { status: 503, latencyMs: 3, error: 'http-503', answer: null };
  await ledger.flush({ results: [{ ...claimed, verdict, note }], claims: [] });
}

describe('the priority of a job', () => {
  it('is normal unless given, in single and bulk requests, and is shown', async () => {
    const [usual, reported] = [await schedule(), await schedule({ priority: 'normal' })];
    const high = await schedule({ priority: 'high' });
    const jobs = [{ url, priority: 'low' }, { url }];
    await ask('POST', '/v1/jobs/bulk', { client: 'orders', jobs });
    expect([(await displayed(usual)).priority, (await displayed(reported)).priority]).toEqual(['normal', 'normal']);
    expect((await displayed(high)).priority).toBe('high');
    expect((await storedPriorities()).toSorted()).toEqual(['high', 'low', null, null, null]);
  });

  it('is refused with the field and the value if it is unknown', async () => {
    const refused = await ask('POST', '/v1/jobs', { client: 'orders', url, priority: 'urgent' });
    expect(refused.statusCode).toBe(422);
    expect(problem.parse(refused.json()).errors).toMatchObject([{ pointer: '/priority' }]);
    expect(refused.body).toContain('urgent');
    expect((await ask('GET', '/v1/jobs?priority=urgent')).statusCode).toBe(422);
  });

  it('is read together with an endpoint of the client', async () => {
    await ask('POST', '/v1/clients/orders/endpoints', { name: 'billing', url });
    const id = await schedule({ endpoint: 'billing', priority: 'high', timeoutMs: 500 });
    expect(await displayed(id)).toMatchObject({ endpoint: 'billing', priority: 'high', timeoutMs: 500 });
    const { rows } = await on.pool.query('select endpoint is not null as "hasEndpoint", priority from jobs');
    expect(rows).toEqual([{ hasEndpoint: true, priority: 'high' }]);
  });

  it('is read only from its field: a template that contains the same text has normal priority', async () => {
    const words = '"priority":"high"';
    const id = await schedule({ template: true, body: { note: '{{key}}' }, idempotencyKey: words });
    const { rows } = await on.pool.query<{ terms: string }>('select terms from jobs where id = $1', [uuid(id)]);
    expect(rows[0]?.terms).toContain(JSON.stringify(words));
    expect(await storedPriorities()).toEqual([null]);
  });

  it('is kept by a retry, by a replay after death and by a resend', async () => {
    const [again, dies] = [await schedule({ priority: 'high' }), await schedule({ priority: 'low' })];
    await end(again, { kind: 'retry', delayMs: 0 });
    expect(await displayed(again)).toMatchObject({ attempt: 2, priority: 'high' });
    await end(dies, { kind: 'dead', cause: 'http-503' });
    expect(await displayed(dies)).toMatchObject({ state: 'dead', priority: 'low' });
    const resent = resentJobs.parse((await ask('POST', '/v1/jobs/resend', { client: 'orders', ids: [dies] })).json());
    expect((await displayed(resent.results[0]?.jobId ?? '')).priority).toBe('low');
    await ask('POST', `/v1/quarantine/jobs/${dies}/replay`, {});
    expect(await displayed(dies)).toMatchObject({ state: 'pending', priority: 'low' });
    expect((await storedPriorities()).toSorted()).toEqual(['high', 'low', 'low']);
  });

  it('filters job lists in every state of the jobs', async () => {
    const [high, normal, dies] = [
      await schedule({ priority: 'high', delaySeconds: 60 }),
      await schedule({ delaySeconds: 60 }),
      await schedule({ priority: 'low' }),
    ];
    const keyed = await schedule({ priority: 'low', orderingKey: 'merchant-1' });
    await end(dies, { kind: 'dead', cause: 'http-503' });
    expect(await listed('&priority=high')).toEqual([[high, 'high']]);
    expect(await listed('&priority=normal')).toEqual([[normal, 'normal']]);
    expect(await listed('&priority=low')).toEqual([[keyed, 'low']]);
    expect(await listed('&state=dead&priority=low')).toEqual([[dies, 'low']]);
    expect(await listed('&state=dead&priority=high')).toEqual([]);
    expect(await listed('&orderingKey=merchant-1&priority=low')).toEqual([[keyed, 'low']]);
    expect(await listed('&orderingKey=merchant-1&priority=high')).toEqual([]);
  });

  it('filters a change of many jobs and is stored with the change', async () => {
    const change = { verb: 'cancel', client: 'orders', priority: 'low' };
    expect((await ask('POST', '/v1/jobs/changes', change)).statusCode).toBe(202);
    const running = await on.deps.jobChanges.nextRunning();
    expect(running?.filter).toEqual({ state: 'pending', priority: 'low' });
  });
});

describe('the priority in the target of a schedule', () => {
  const daily = { name: 'nightly', cron: '0 0 * * *', zone: 'UTC' };
  const made = async (target: object) =>
    (await ask('POST', '/v1/schedules', { ...daily, target: { client: 'orders', url, ...target } })).json<{
      id: string;
    }>().id;
  const targetOf = async (id: string) => (await ask('GET', `/v1/schedules/${id}`)).json<{ target: object }>().target;

  it('is given to each fired job, shown unless normal, and can be changed', async () => {
    const id = await made({ priority: 'high' });
    expect(await targetOf(id)).toMatchObject({ priority: 'high' });
    expect((await ask('POST', `/v1/schedules/${id}/run-now`)).statusCode).toBe(200);
    expect(await storedPriorities()).toEqual(['high']);
    expect((await ask('PATCH', `/v1/schedules/${id}`, { target: { priority: null } })).statusCode).toBe(200);
    expect(await targetOf(id)).not.toHaveProperty('priority');
    expect(await targetOf(await made({ priority: 'normal' }))).not.toHaveProperty('priority');
  });
});
