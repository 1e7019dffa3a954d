import { beforeEach, describe, expect, it } from 'vitest';
import { createJobReports } from '../../services/api/jobs/postgres/job-reports.ts';
import type { ClaimedJob, JobVerdict } from '../../services/dispatcher/ports/call-ledger.ts';
import { clientLedger } from '../../shared/contracts/jobs/client-figures.ts';
import { cancelledJobs, movedJobs, resentJobs } from '../../shared/contracts/jobs/job-lists.ts';
import { cancelledJob, jobShape, jobSummary } from '../../shared/contracts/jobs/job-shapes.ts';
import { acceptedJob } from '../../shared/contracts/jobs/jobs.ts';
import { uuidOf } from '../../shared/domain/ids/ids.ts';
import { jobPartitionOf } from '../../shared/domain/job/job-ids.ts';
import { createHotPathPool } from '../../shared/postgres/connection/pool.ts';
import { createKeyAdvancer } from '../../shared/postgres/jobs/key-wakes.ts';
import { sealReportToken } from '../../shared/runtime/installation/report-tokens.ts';
import { apiOnPostgres } from '../support/api-on-postgres.ts';
import { describeJobReports } from '../support/conformance/job-reports.conformance.ts';
import { databaseForFile } from '../support/file-database.ts';
import { callLedgerOn } from '../support/postgres-call-ledger.ts';
import { postgresJobSubject } from '../support/postgres-job-subject.ts';

const database = databaseForFile(createHotPathPool);

describeJobReports('on Postgres', async () => {
  await database.empty();
  const { pool } = database;
  return {
    ...postgresJobSubject(pool),
    reportsOf: () => createJobReports({ pool, slot: 3 }),
    keysOf: () => createKeyAdvancer({ pool, slot: 1 }),
    ledgerOf: (owner) => callLedgerOn(pool, owner),
  };
});

const on = apiOnPostgres();
const { ask } = on;
const uuid = (id: string) => uuidOf('job', id) ?? expect.fail(`${id} is no id of a job`);
const displayed = async (id: string) => jobShape.parse((await ask('GET', `/v1/jobs/${id}`)).json());

async function schedule(changes: object = {}): Promise<string> {
  const job = { client: 'orders', url: 'https://shop.test/hook', ...changes };
  return acceptedJob.parse((await ask('POST', '/v1/jobs', job)).json()).id;
}

async function claim(id: string): Promise<ClaimedJob> {
  const { rows } = await on.pool.query<{ us: number }>(
    'select extract(epoch from due_at)::float8 * 1000000 as us from jobs where id = $1',
    [uuid(id)],
  );
  const claims = [{ partition: jobPartitionOf(uuid(id)), dueUs: Math.round(rows[0]?.us ?? 0), jobId: uuid(id) }];
  const [claimed] = (await callLedgerOn(on.pool, 'a').flush({ results: [], claims })).claimed;
  return claimed ?? expect.fail('it was not claimed');
}

/** Calls the job, which gets this verdict; by default its receiver answers 202, and a report follows. */
async function call(id: string, verdict: JobVerdict = { kind: 'reporting', delayMs: 3_600_000 }): Promise<void> {
  const note = { status: 202, latencyMs: 12, error: null, answer: null };
  await callLedgerOn(on.pool, 'a').flush({ results: [{ ...(await claim(id)), verdict, note }], claims: [] });
}

const tokenOf = (id: string, attempt = 1) => sealReportToken(on.deps.config.secretBox, uuid(id), attempt);
const report = (id: string, payload: object, token = tokenOf(id)) =>
  on.api.server.inject({
    method: 'POST',
    url: `/v1/jobs/${id}/report`,
    payload,
    headers: { authorization: `Bearer ${token}` },
  });
const codeOf = async (answer: ReturnType<typeof report>) => {
  const response = await answer;
  const { statusCode } = response;
  const { code, result } = response.json<{ code?: string; result?: string }>();
  return [statusCode, code ?? result];
};

describe('a job whose receiver has answered 202', () => {
  beforeEach(async () => {
    await ask('POST', '/v1/clients', { name: 'orders', endpoint: { reportWithinSeconds: 3600 } });
  });

  it('is reporting, shows its call and remaining time, and is listed and counted as reporting', async () => {
    const [id] = [await schedule(), await schedule({ delaySeconds: 60 })];
    await call(id);
    const job = await displayed(id);
    expect(job).toMatchObject({ state: 'reporting', attempt: 1, attempts: [{ attempt: 1, status: 202 }] });
    expect(Date.parse(job.dueAt ?? '') - on.deps.clock.nowMs()).toBe(3_600_000);
    const listed = (await ask('GET', '/v1/jobs?client=orders&state=reporting')).json<{ items: unknown[] }>();
    expect(listed.items.map((each) => jobSummary.parse(each).id)).toEqual([id]);
    expect((await ask('GET', '/v1/jobs?state=reporting')).statusCode).toBe(422);
    const ledger = clientLedger.parse((await ask('GET', '/v1/clients/orders/ledger')).json());
    expect(ledger).toMatchObject({ accepted: 2, pending: 2, reporting: 1, balanced: true });
  });

  it('becomes called when its receiver reports done, and a repeated report changes nothing', async () => {
    const id = await schedule();
    await call(id);
    expect(await codeOf(report(id, { outcome: 'done', detail: 'sent by post' }))).toEqual([200, 'called']);
    expect(await codeOf(report(id, { outcome: 'done' }))).toEqual([200, 'unchanged']);
    expect(await codeOf(report(id, { outcome: 'failed', reason: 'late' }))).toEqual([409, 'report-too-late']);
    expect(await displayed(id)).toMatchObject({ state: 'called', attempts: [{ attempt: 1, status: 202 }] });
    expect(clientLedger.parse((await ask('GET', '/v1/clients/orders/ledger')).json())).toMatchObject({ called: 1 });
  });

  it('accepts a report only with its own token', async () => {
    const [id, other] = [await schedule(), await schedule()];
    await call(id);
    for (const token of ['', 'nonsense', tokenOf(other), `${tokenOf(id)}x`]) {
      expect(await codeOf(report(id, { outcome: 'done' }, token))).toEqual([401, 'bad-token']);
    }
    expect((await report(id, { outcome: 'perhaps' })).statusCode).toBe(422);
    const wrong = (await report(id, { outcome: 'failed', reason: '<b>' })).json<{ errors: { pointer: string }[] }>();
    expect(wrong.errors.map(({ pointer }) => pointer)).toEqual(['/reason']);
    expect(await displayed(id)).toMatchObject({ state: 'reporting' });
  });

  it('refuses a report of an earlier attempt and names the current attempt', async () => {
    const id = await schedule();
    await call(id, { kind: 'retry', delayMs: 0 });
    await call(id);
    const late = await report(id, { outcome: 'done' });
    expect([late.statusCode, late.json<{ detail: string }>().detail]).toEqual([
      409,
      expect.stringContaining('attempt 2'),
    ]);
    expect(await codeOf(report(id, { outcome: 'done' }, tokenOf(id, 2)))).toEqual([200, 'called']);
  });

  it('can be cancelled, and refuses to be moved, run now or resent', async () => {
    const [id, other, third] = [await schedule(), await schedule(), await schedule()];
    for (const each of [id, other, third]) await call(each);
    const clientId = uuidOf('client', (await displayed(third)).clientId) ?? '';
    const client = 'orders';
    expect((await ask('POST', `/v1/jobs/${id}/run-now`)).json()).toMatchObject({ status: 409, code: 'state-forbids' });
    const moved = await ask('POST', `/v1/jobs/${id}/reschedule`, { delaySeconds: 60 });
    expect(moved.json()).toMatchObject({ detail: expect.stringContaining('reporting') as string });
    const requested = { client, ids: [id] };
    const listMoved = movedJobs.parse(
      (await ask('POST', '/v1/jobs/reschedule', { ...requested, delaySeconds: 1 })).json(),
    );
    expect(listMoved.results).toMatchObject([{ result: 'too-late' }]);
    const resent = resentJobs.parse((await ask('POST', '/v1/jobs/resend', requested)).json());
    expect(resent.results).toMatchObject([{ result: 'not-ended' }]);
    expect(await displayed(id)).toMatchObject({ state: 'reporting' });

    expect(cancelledJob.parse((await ask('POST', `/v1/jobs/${id}/cancel`)).json()).result).toBe('cancelled');
    const list = cancelledJobs.parse((await ask('POST', '/v1/jobs/cancel', { client, ids: [other] })).json());
    expect(list.cancelled).toBe(1);
    expect(await codeOf(report(id, { outcome: 'done' }))).toEqual([409, 'report-too-late']);
    // The jobs that a change of all jobs in the state `reporting` would find.
    const { items } = await on.deps.jobStore.list({ clientIds: [clientId], state: 'reporting' }, 10, null);
    expect(items.map(({ jobId }) => jobId)).toEqual([uuid(third)]);
    const change = { client, verb: 'cancel', state: 'reporting' };
    expect((await ask('POST', '/v1/jobs/changes', change)).statusCode).toBe(202);
  });
});

it('reportWithinSeconds can be set on a job, an endpoint and a client, and is refused if no token key is configured', async () => {
  await ask('POST', '/v1/clients', { name: 'orders' });
  const endpoint = { name: 'billing', url: 'https://billing.test/hook', reportWithinSeconds: 60 };
  expect((await ask('POST', '/v1/clients/orders/endpoints', endpoint)).json()).toMatchObject(endpoint);
  expect(await displayed(await schedule({ reportWithinSeconds: 30 }))).toMatchObject({ reportWithinSeconds: 30 });
  const wrong = await ask('POST', '/v1/jobs', { client: 'orders', url: 'https://a.test', reportWithinSeconds: 0 });
  expect(wrong.json<{ errors: { pointer: string }[] }>().errors.map(({ pointer }) => pointer)).toEqual([
    '/reportWithinSeconds',
  ]);
});
