import { beforeEach, describe, expect, it } from 'vitest';
import { readOwnTerms } from '../../shared/contracts/jobs/call-terms.ts';
import { clientLedger } from '../../shared/contracts/jobs/client-figures.ts';
import { clientShape } from '../../shared/contracts/jobs/clients.ts';
import { cancelledJobs, foundJobs, movedJobs, resentJobs } from '../../shared/contracts/jobs/job-lists.ts';
import { jobShape } from '../../shared/contracts/jobs/job-shapes.ts';
import { acceptedJob } from '../../shared/contracts/jobs/jobs.ts';
import { publicId, uuidOf } from '../../shared/domain/ids/ids.ts';
import { jobPartitionOf } from '../../shared/domain/job/job-ids.ts';
import { authorized } from '../support/api-deps.ts';
import { apiOnPostgres } from '../support/api-on-postgres.ts';
import { createCallLedger } from '../../services/dispatcher/postgres/call-ledger.ts';
import type { ClaimedJob, JobVerdict } from '../../services/dispatcher/ports/call-ledger.ts';

const on = apiOnPostgres();
const { ask } = on;
let clientId: string;
beforeEach(async () => {
  clientId = clientShape.parse((await ask('POST', '/v1/clients', { name: 'orders' })).json()).id;
});

async function schedule(changes: object = {}): Promise<string> {
  const job = { client: 'orders', url: 'https://shop.test/hook', ...changes };
  return acceptedJob.parse((await ask('POST', '/v1/jobs', job)).json()).id;
}

const displayed = async (id: string) => jobShape.parse((await ask('GET', `/v1/jobs/${id}`)).json());
const uuid = (id: string) => uuidOf('job', id) ?? expect.fail(`${id} is no id of a job`);

const requested = async (verb: string, body: object, headers: Record<string, string> = {}) => {
  const payload = { client: 'orders', ...body };
  const url = `/v1/jobs/${verb}`;
  const answer = await on.api.server.inject({ method: 'POST', url, payload, headers: { ...authorized, ...headers } });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<unknown>();
};
const resend = async (body: object, headers?: Record<string, string>) =>
  resentJobs.parse(await requested('resend', body, headers));

async function claim(id: string): Promise<ClaimedJob> {
  const jobId = uuid(id);
  const { rows } = await on.pool.query<{ us: number }>(
    'select extract(epoch from due_at)::float8 * 1000000 as us from jobs where id = $1',
    [jobId],
  );
  const claims = [{ partition: jobPartitionOf(jobId), dueUs: Math.round(rows[0]?.us ?? 0), jobId }];
  const [claimed] = (await ledger().flush({ results: [], claims })).claimed;
  return claimed ?? expect.fail('it was not claimed');
}

const ledger = () => {
  const region = () => ({ name: 'local', epoch: 1 });
  return createCallLedger({ pool: on.pool, owner: 'a dispatcher', slot: 1, leaseMs: 60_000, region });
};

/** Ends a job like the dispatcher that calls it. */
async function end(id: string, verdict: JobVerdict = { kind: 'called' }, forgetsBody = false): Promise<ClaimedJob> {
  const claimed = await claim(id);
  const note = { status: 200, latencyMs: 3, error: null, answer: 'thanks' };
  await ledger().flush({ results: [{ ...claimed, verdict, note, forgetsBody }], claims: [] });
  return claimed;
}

describe('a request that cancels a list of jobs', () => {
  const cancel = async (body: object) => cancelledJobs.parse(await requested('cancel', body));

  it('returns one result per job, and the same results when it is repeated', async () => {
    const a = await schedule({ idempotencyKey: 'a', delaySeconds: 60 });
    const b = await schedule({ idempotencyKey: 'b' });
    await claim(b);
    const idempotencyKeys = ['b', 'nothing', 'a', 'a'];
    const answer = await cancel({ idempotencyKeys });
    expect(answer).toMatchObject({
      cancelled: 1,
      results: [{ id: b, result: 'too-late' }, { result: 'not-found' }, { id: a, result: 'cancelled' }, { id: a }],
    });
    expect(await cancel({ idempotencyKeys })).toEqual(answer);
    const byIds = await cancel({ ids: [a, 'job_01h455vb4pex5vsknk084sn02q', 'no id'] });
    expect(byIds.results.map(({ result }) => result)).toEqual(['cancelled', 'not-found', 'not-found']);
    expect(await displayed(a)).toMatchObject({ state: 'cancelled' });
  });

  it('accepts 5,000 jobs in several transactions', async () => {
    const keys = Array.from({ length: 5000 }, (_, index) => `order-${index}`);
    for (const part of [keys.slice(0, 700), keys.slice(4000)]) {
      const jobs = part.map((idempotencyKey) => ({ url: 'https://shop.test', delaySeconds: 60, idempotencyKey }));
      await ask('POST', '/v1/jobs/bulk', { client: 'orders', jobs });
    }
    const { cancelled, results } = await cancel({ idempotencyKeys: keys });
    expect(cancelled).toBe(1700);
    expect(results.map(({ idempotencyKey }) => idempotencyKey)).toEqual(keys);
    expect(await on.rowsOf('jobs')).toEqual([]);
    const refused = await ask('POST', '/v1/jobs/cancel', { client: 'orders', idempotencyKeys: [...keys, 'more'] });
    expect(refused.statusCode).toBe(422);
  });

  it.each([{}, { ids: ['job_1'], idempotencyKeys: ['a'] }, { ids: [] }])(
    'is refused unless it names jobs by ids or keys: %j',
    async (body) => {
      expect((await ask('POST', '/v1/jobs/cancel', { client: 'orders', ...body })).statusCode).toBe(422);
    },
  );

  it('writes one audit log entry with the number of jobs', async () => {
    await schedule({ idempotencyKey: 'a', delaySeconds: 60 });
    await cancel({ idempotencyKeys: ['a', 'b'] });
    const { rows } = await on.pool.query("select detail from audit_log where route = '/v1/jobs/cancel'");
    expect(rows).toEqual([{ detail: { client: 'orders', jobs: 2, cancelled: 1 } }]);
  });
});

describe('a request that reschedules a list of jobs', () => {
  it('returns one result per job and changes the due times', async () => {
    const [a, firing, called] = [await schedule({ delaySeconds: 60 }), await schedule(), await schedule()];
    await claim(firing);
    await end(called);
    const dueAt = '2026-02-01T00:00:00.000Z';
    const ids = [called, a, firing, 'job_01h455vb4pex5vsknk084sn02q'];
    const { rescheduled, results } = movedJobs.parse(await requested('reschedule', { ids, dueAt }));
    expect(rescheduled).toBe(1);
    expect(results.map(({ result }) => result)).toEqual(['too-late', 'rescheduled', 'too-late', 'not-found']);
    expect(await displayed(a)).toMatchObject({ dueAt, scheduledFor: dueAt });
    expect((await ask('POST', '/v1/jobs/reschedule', { client: 'orders', ids })).statusCode).toBe(422);
  });
});

describe('a request that finds a list of jobs', () => {
  it('returns jobs in the requested order, in every state', async () => {
    const pending = await schedule({ idempotencyKey: 'a', delaySeconds: 60 });
    const [called, dead] = [await schedule({ tags: ['eu'] }), await schedule()];
    await end(called);
    await end(dead, { kind: 'dead', cause: 'status 500' });
    const nothing = 'job_01h455vb4pex5vsknk084sn02q';
    const { found, results } = foundJobs.parse(await requested('find', { ids: [dead, nothing, called, pending] }));
    expect(found).toBe(3);
    expect(results).toMatchObject([
      { id: dead, job: { id: dead, state: 'dead', cause: 'status 500' } },
      { id: nothing, job: null },
      { id: called, job: { state: 'called', tags: ['eu'] } },
      { id: pending, job: { state: 'pending', idempotencyKey: 'a' } },
    ]);
    const byKey = foundJobs.parse(await requested('find', { idempotencyKeys: ['a'] }));
    expect(byKey.results).toMatchObject([{ id: pending, idempotencyKey: 'a', job: { id: pending } }]);
    expect((await on.pool.query("select from audit_log where route = '/v1/jobs/find'")).rowCount).toBe(0);
  });

  it('returns a replayed dead job as pending', async () => {
    const id = await schedule();
    await end(id, { kind: 'dead', cause: 'status 500' });
    await ask('POST', `/v1/quarantine/jobs/${id}/replay`, {});
    expect(foundJobs.parse(await requested('find', { ids: [id] })).results).toMatchObject([
      { job: { state: 'pending' } },
    ]);
  });
});

describe('the request details of an ended job', () => {
  const wished = { headers: { 'x-api-key': 'sk_live' }, body: { order: 17 }, relevancySeconds: 60 };
  const kept = {
    headers: { 'x-api-key': { set: true, length: 7 }, 'content-type': 'application/json' },
    body: '{"order":17}',
    acceptedAt: expect.any(String) as string,
    scheduledFor: '2026-01-01T00:00:00.000Z',
    expiresAt: '2026-01-01T00:01:00.000Z',
  };

  it.each([{ kind: 'called' }, { kind: 'expired' }, { kind: 'dead', cause: 'status 500' }] as const)(
    'are kept with the outcome: %j',
    async (verdict) => {
      const id = await schedule(wished);
      await end(id, verdict);
      expect(await displayed(id)).toMatchObject({ state: verdict.kind, ...kept });
    },
  );

  it('are kept if the job was cancelled', async () => {
    const id = await schedule(wished);
    await ask('POST', `/v1/jobs/${id}/cancel`);
    expect(await displayed(id)).toMatchObject({ state: 'cancelled', ...kept });
  });

  it('are kept without the body if the client disables keepBodies, and such a job cannot be resent', async () => {
    await ask('PATCH', `/v1/clients/${clientId}`, { keepBodies: false });
    const [called, cancelled, bare] = [await schedule(wished), await schedule(wished), await schedule()];
    await end(called, { kind: 'called' }, true);
    await ask('POST', `/v1/jobs/${cancelled}/cancel`);
    await end(bare, { kind: 'called' }, true);
    for (const id of [called, cancelled]) expect(await displayed(id)).toMatchObject({ ...kept, body: null });
    const { results } = await resend({ ids: [called, cancelled, bare] });
    expect(results.map(({ result }) => result)).toEqual(['body-not-kept', 'body-not-kept', 'sent']);
  });
});

it('a job keeps its own retry, timeout and final codes until its end and when it is resent', async () => {
  const own = { retry: { strategy: 'none' }, timeoutMs: 300, finalCodes: [404] };
  const [id, other] = [await schedule(own), await schedule()];
  expect(await displayed(id)).toMatchObject(own);
  expect(await displayed(other)).toMatchObject({ retry: null, timeoutMs: null, finalCodes: null });
  expect(readOwnTerms((await end(id)).terms)).toEqual(own);
  expect((await end(other)).terms).toBeNull();
  expect(await displayed(id)).toMatchObject({ state: 'called', ...own });
  const [again] = (await resend({ ids: [id] })).results;
  expect(await displayed(again?.jobId ?? '')).toMatchObject(own);
  await end(again?.jobId ?? '', { kind: 'dead', cause: 'status 500' });
  await ask('POST', `/v1/quarantine/jobs/${again?.jobId ?? ''}/replay`, {});
  expect(await displayed(again?.jobId ?? '')).toMatchObject({ state: 'pending', ...own, repeats: id });
});

describe('resent jobs', () => {
  it('are new jobs with the same call, and name the job they repeat', async () => {
    const call = { headers: { 'x-api-key': 'sk_live' }, body: { order: 17 }, tags: ['eu'], relevancySeconds: 60 };
    const id = await schedule({ ...call, idempotencyKey: 'order-17' });
    const first = await end(id);
    const { sent, results } = await resend({ idempotencyKeys: ['order-17'] });
    const again = results[0]?.jobId ?? expect.fail('it was not sent');
    expect([sent, results[0]?.id, again === id]).toEqual([1, id, false]);
    const before = await displayed(id);
    expect(before).toMatchObject({ state: 'called', repeats: null, attempts: [{ status: 200 }] });
    expect(await displayed(again)).toMatchObject({
      state: 'pending',
      repeats: id,
      idempotencyKey: null,
      attempt: 1,
      attempts: [],
      headers: before.headers,
      body: before.body,
      tags: ['eu'],
      expiresAt: '2026-01-01T00:01:00.000Z',
    });
    const second = await end(again);
    expect(second).toMatchObject({ url: first.url, headers: first.headers, body: first.body, attempt: 1 });
    expect([first.repeats, second.repeats && publicId('job', second.repeats)]).toEqual([null, id]);
    expect(await displayed(again)).toMatchObject({ state: 'called', repeats: id });
    const { body } = await ask('GET', `/v1/clients/${clientId}/ledger`);
    expect(clientLedger.parse(JSON.parse(body))).toMatchObject({ accepted: 2, called: 2, pending: 0, balanced: true });
  });

  it('are created once for each ended job, and are due later if a due time is given', async () => {
    const [called, cancelled, pending, dead] = [
      await schedule(),
      await schedule(),
      await schedule(),
      await schedule({ body: 'b' }),
    ];
    await end(called);
    await ask('POST', `/v1/jobs/${cancelled}/cancel`);
    await end(dead, { kind: 'dead', cause: 'status 500' });
    const nothing = 'job_01h455vb4pex5vsknk084sn02q';
    const ids = [pending, called, nothing, cancelled, dead, called];
    const { sent, results } = await resend({ ids, delaySeconds: 90 });
    expect(sent).toBe(3);
    expect(results.map(({ result }) => result)).toEqual(['not-ended', 'sent', 'not-found', 'sent', 'sent', 'sent']);
    expect(results[5]?.jobId).toBe(results[1]?.jobId);
    expect(await displayed(results[1]?.jobId ?? '')).toMatchObject({ dueAt: '2026-01-01T00:01:30.000Z' });
    expect(await displayed(dead)).toMatchObject({ state: 'dead' });
  });

  it('are not created for dead jobs that were replayed', async () => {
    const id = await schedule();
    await end(id, { kind: 'dead', cause: 'status 500' });
    await ask('POST', `/v1/quarantine/jobs/${id}/replay`, {});
    expect(await resend({ ids: [id] })).toMatchObject({ sent: 0, results: [{ result: 'not-ended', jobId: null }] });
    expect(await on.rowsOf('jobs')).toHaveLength(1);
  });

  it('are created once for a repeated request, even if they have ended in the meantime', async () => {
    const id = await schedule();
    await end(id);
    const key = { 'idempotency-key': 'again' };
    const first = await resend({ ids: [id] }, key);
    expect(await resend({ ids: [id] }, key)).toEqual(first);
    expect(await on.rowsOf('jobs')).toHaveLength(1);
    // Repeats a resend as after the death of a process that had not stored its answer. The ids are the same.
    const newId = '01890a5d-ac96-774b-bcce-b302099a8057';
    const again = () => {
      const due = { newIdOf: () => newId, due: { delayMs: 0 } };
      return on.deps.listedJobs.resend(uuidOf('client', clientId) ?? '', [uuid(id)], due);
    };
    expect([...(await again())]).toEqual([[uuid(id), 'sent']]);
    expect([...(await again())]).toEqual([[uuid(id), 'sent']]);
    expect(await on.rowsOf('jobs')).toHaveLength(2);
    await end(publicId('job', newId));
    expect([...(await again())]).toEqual([[uuid(id), 'sent']]);
    expect(await on.rowsOf('jobs')).toHaveLength(1);
  });

  it('count towards the accept rate of the client', async () => {
    await ask('PATCH', `/v1/clients/${clientId}`, { acceptPerSecond: 5 });
    const ids = [await schedule(), await schedule(), await schedule()];
    for (const id of ids) await end(id);
    const { sent, results } = await resend({ ids });
    expect([sent, results.map(({ result }) => result)]).toEqual([2, ['sent', 'sent', 'too-many-jobs']]);
    await ask('POST', `/v1/clients/${clientId}/endpoints/default/disable`, {});
    expect((await ask('POST', '/v1/jobs/resend', { client: 'orders', ids })).statusCode).toBe(409);
  });
});
