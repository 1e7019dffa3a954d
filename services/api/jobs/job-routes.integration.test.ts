import { beforeEach, describe, expect, it } from 'vitest';
import { clientForecast, clientLedger } from '../../../shared/contracts/jobs/client-figures.ts';
import { clientShape } from '../../../shared/contracts/jobs/clients.ts';
import { jobChange } from '../../../shared/contracts/jobs/job-changes.ts';
import { cancelledJob, jobShape, jobSummary } from '../../../shared/contracts/jobs/job-shapes.ts';
import { acceptedJob } from '../../../shared/contracts/jobs/jobs.ts';
import { publicId, uuidOf } from '../../../shared/domain/ids/ids.ts';
import type { Role } from '../../../shared/domain/roles.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { digestOfApiKey } from '../../../shared/runtime/installation/api-key-secret.ts';
import { systemClock } from '../../../shared/runtime/system-clock.ts';
import { createJobChanger } from './change-jobs.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { problem } from '../frame/problems.contract.ts';

const on = apiOnPostgres();
const { ask } = on;
let clientId: string;
beforeEach(async () => {
  const made = await ask('POST', '/v1/clients', { name: 'orders', endpoint: { publishRatePerSecond: 1 } });
  clientId = clientShape.parse(made.json()).id;
});

async function schedule(changes: object = {}): Promise<string> {
  const job = { client: 'orders', url: 'https://shop.test/hook', delaySeconds: 600, ...changes };
  return acceptedJob.parse((await ask('POST', '/v1/jobs', job)).json()).id;
}

const claim = (id: string) =>
  on.pool.query(
    `insert into job_claims (partition_id, due_at, id, owner, epoch, lease_until)
     select partition_id, due_at, id, 'a dispatcher', 1, now() + interval '1 minute' from jobs where id = $1`,
    [uuidOf('job', id)],
  );

describe('the content of a job', () => {
  const secrets = { authorization: 'Bearer team-a-secret-token', 'x-api-key': 'sk_live_abc', accept: 'text/plain' };
  const hidden = {
    authorization: { set: true, length: 26 },
    'x-api-key': { set: true, length: 11 },
    accept: 'text/plain',
    'content-type': 'application/json',
  };

  async function readAs(role: Role, url: string) {
    const secret = `muster_the-key-of-a-${role}`;
    await on.deps.apiKeys.add({ name: role, role, digest: digestOfApiKey(secret) });
    const headers = { authorization: `Bearer ${secret}` };
    return await on.api.server.inject({ method: 'GET', url, headers });
  }

  async function called(): Promise<string> {
    const id = await schedule({ headers: secrets, body: { card: '4111' } });
    const insert = `insert into job_attempts (id, at, attempt, status, answer) values ($1, now(), 1, 500, 'an answer')`;
    await on.pool.query(insert, [uuidOf('job', id)]);
    return id;
  }

  async function dead(): Promise<string> {
    const { rows } = await on.pool.query<{ id: string }>(
      `insert into dead_jobs (id, client, cause, job) values (uuidv7(), $1, 'status 500', $2) returning id`,
      [
        uuidOf('client', clientId),
        {
          scheduledFor: new Date(0),
          acceptedAt: new Date(0),
          attempt: 3,
          method: 'POST',
          url: 'https://a.test/',
          headers: JSON.stringify(secrets),
          body: '{"card":"4111"}',
          answer: 'an answer',
        },
      ],
    );
    return publicId('job', rows[0]?.id ?? '');
  }

  it.each(['viewer', 'scheduler', 'manager', 'operator'] as const)(
    'is returned to a %s without values of secret headers',
    async (role) => {
      for (const url of [`/v1/jobs/${await called()}`, `/v1/quarantine/jobs/${await dead()}`]) {
        const answer = await readAs(role, url);
        expect(answer.json<{ headers: object }>().headers).toMatchObject({
          authorization: hidden.authorization,
          'x-api-key': hidden['x-api-key'],
          accept: 'text/plain',
        });
        for (const secret of ['team-a-secret', 'sk_live']) expect(answer.body).not.toContain(secret);
      }
    },
  );

  it.each(['viewer', 'manager'] as const)('is shown to a %s without body and answers', async (role) => {
    for (const url of [`/v1/jobs/${await called()}`, `/v1/quarantine/jobs/${await dead()}`]) {
      const answer = await readAs(role, url);
      expect(answer.json()).toMatchObject({ body: null, withheld: true });
      for (const content of ['4111', 'an answer']) expect(answer.body).not.toContain(content);
    }
  });

  it.each(['scheduler', 'operator'] as const)('is shown to a %s with body and answers', async (role) => {
    const [job, deadJob] = [`/v1/jobs/${await called()}`, `/v1/quarantine/jobs/${await dead()}`];
    expect((await readAs(role, job)).json()).toMatchObject({
      headers: hidden,
      body: '{"card":"4111"}',
      withheld: false,
      attempts: [{ answer: 'an answer' }],
    });
    expect((await readAs(role, deadJob)).json()).toMatchObject({ body: '{"card":"4111"}', answer: 'an answer' });
  });
});

describe('a job', () => {
  it('is returned with all fields of its call', async () => {
    const id = await schedule({ body: { order: 17 }, tags: ['eu'], idempotencyKey: 'order-17' });
    const answer = jobShape.parse((await ask('GET', `/v1/jobs/${id}`)).json());
    expect(answer).toMatchObject({
      id,
      clientId,
      state: 'pending',
      dueAt: '2026-01-01T00:10:00.000Z',
      attempt: 1,
      attempts: [],
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"order":17}',
      tags: ['eu'],
      idempotencyKey: 'order-17',
    });
    expect((await ask('GET', '/v1/jobs/job_01h455vb4pex5vsknk084sn02q')).statusCode).toBe(404);
  });

  it('is cancelled once, and a repeat returns the same answer', async () => {
    const id = await schedule();
    const cancel = async () => cancelledJob.parse((await ask('POST', `/v1/jobs/${id}/cancel`)).json());
    expect(await cancel()).toEqual({ id, result: 'cancelled' });
    expect(await cancel()).toEqual({ id, result: 'cancelled' });
    expect((await ask('GET', `/v1/jobs/${id}`)).json()).toMatchObject({ state: 'cancelled', dueAt: null });
    expect((await ask('POST', '/v1/jobs/job_01h455vb4pex5vsknk084sn02q/cancel')).statusCode).toBe(404);
  });

  it('cannot be cancelled or rescheduled while it is being called', async () => {
    const id = await schedule();
    await claim(id);
    expect((await ask('POST', `/v1/jobs/${id}/cancel`)).json()).toEqual({ id, result: 'too-late' });
    const refused = await ask('POST', `/v1/jobs/${id}/run-now`);
    expect([refused.statusCode, problem.parse(refused.json()).code]).toEqual([409, 'state-forbids']);
  });

  it('can be rescheduled, or made due at once', async () => {
    const id = await schedule();
    const moved = await ask('POST', `/v1/jobs/${id}/reschedule`, { dueAt: '2026-02-01T00:00:00Z' });
    expect(moved.json()).toMatchObject({ dueAt: '2026-02-01T00:00:00.000Z', state: 'pending' });
    expect((await ask('POST', `/v1/jobs/${id}/run-now`)).json()).toMatchObject({ dueAt: '2026-01-01T00:00:00.000Z' });
    const withoutTime = await ask('POST', `/v1/jobs/${id}/reschedule`, {});
    expect(problem.parse(withoutTime.json()).errors).toMatchObject([{ pointer: '/dueAt' }]);
  });
});

describe('the list of jobs', () => {
  const page = pageShape(jobSummary);
  const list = async (query: string) => page.parse((await ask('GET', `/v1/jobs${query}`)).json());

  it('is in the order of due times, in pages, without large fields', async () => {
    const [late, soon] = [await schedule({ delaySeconds: 900 }), await schedule({ delaySeconds: 300 })];
    const first = await list('?limit=1');
    expect(first.items.map(({ id }) => id)).toEqual([soon]);
    expect(first.items[0]).not.toHaveProperty('body');
    const second = await list(`?limit=1&cursor=${first.next ?? ''}`);
    expect(second.items.map(({ id }) => id)).toEqual([late]);
    expect(second.next).toBeNull();
  });

  it('can be filtered by client, state, tag and time', async () => {
    const id = await schedule({ tags: ['eu'] });
    await schedule({ delaySeconds: 5 });
    const window = 'dueFrom=2026-01-01T00:05:00Z&dueUntil=2026-01-01T01:00:00Z';
    expect((await list(`?client=orders&tag=eu&state=pending&${window}`)).items.map((job) => job.id)).toEqual([id]);
    expect((await list(`?client=${clientId}&state=called`)).items).toEqual([]);
  });

  it.each([
    ['?state=called', '/client'],
    ['?orderingKey=merchant-1', '/client'],
    ['?client=orders&orderingKey=', '/orderingKey'],
    ['?client=nobody', '/client'],
    ['?dueFrom=tomorrow', '/dueFrom'],
    ['?dueUntil=0000-01-01T00:00:00Z', '/dueUntil'],
    ['?dueUntil=9999-12-31T23:59:59-12:00', '/dueUntil'],
    ['?cursor=bm90aGluZw', '/cursor'],
  ])('refuses %s', async (query, pointer) => {
    const refused = await ask('GET', `/v1/jobs${query}`);
    expect(refused.statusCode).toBe(422);
    expect(problem.parse(refused.json()).errors.map((error) => error.pointer)).toEqual([pointer]);
  });
});

describe('one request that changes many jobs', () => {
  async function change(body: object) {
    const accepted = await ask('POST', '/v1/jobs/changes', { client: 'orders', ...body });
    expect(accepted.statusCode).toBe(202);
    const { self } = jobChange.parse(accepted.json()).links;
    const { jobChanges: changes, jobStore, logger } = on.deps;
    // The real clock is used, because the duration of the change depends on the database.
    const jobChanger = createJobChanger({ changes, jobStore, logger, clock: systemClock });
    jobChanger.start();
    const answer = async () => jobChange.parse((await ask('GET', self)).json());
    await expect.poll(async () => (await answer()).state, { timeout: 20_000 }).toBe('done');
    await jobChanger.stop();
    return await answer();
  }

  it('cancels all matching jobs, and returns the numbers of cancelled jobs and of jobs that can no longer be cancelled', async () => {
    const [first, firing, other] = [
      await schedule({ tags: ['eu'] }),
      await schedule({ tags: ['eu'] }),
      await schedule(),
    ];
    await claim(firing);
    const done = await change({ verb: 'cancel', tag: 'eu' });
    expect(done).toMatchObject({ state: 'done', seen: 1, changed: 1, tooLate: 0 });
    expect((await ask('GET', `/v1/jobs/${first}`)).json()).toMatchObject({ state: 'cancelled' });
    for (const id of [firing, other]) expect((await ask('GET', `/v1/jobs/${id}`)).statusCode).toBe(200);
  });

  it('reschedules more jobs than one part contains, and each job once', async () => {
    for (let index = 0; index < 3; index++) {
      const jobs = Array.from({ length: 400 }, () => ({ url: 'https://shop.test/hook', delaySeconds: 600 + index }));
      await ask('POST', '/v1/jobs/bulk', { client: 'orders', jobs });
    }
    const done = await change({ verb: 'reschedule', dueAt: '2026-02-01T00:00:00Z', dueUntil: '2026-01-02T00:00:00Z' });
    expect(done).toMatchObject({ state: 'done', seen: 1200, changed: 1200, tooLate: 0 });
    const { rows } = await on.pool.query('select distinct due_at as "dueAt" from jobs');
    expect(rows).toEqual([{ dueAt: new Date('2026-02-01T00:00:00Z') }]);
  });

  it.each([
    [{ verb: 'reschedule' }, '/dueAt'],
    [{ verb: 'cancel', dueAt: '2026-02-01T00:00:00Z' }, '/dueAt'],
    [{ verb: 'cancel', client: 'nobody' }, '/client'],
  ])('is refused: %j', async (body, pointer) => {
    const refused = await ask('POST', '/v1/jobs/changes', { client: 'orders', ...body });
    expect(refused.statusCode).toBe(422);
    expect(problem.parse(refused.json()).errors.map((error) => error.pointer)).toEqual([pointer]);
  });
});

describe('the job counts of a client', () => {
  it('are consistent: each accepted job has ended or is stored', async () => {
    const [cancelled] = [await schedule(), await schedule(), await schedule()];
    await ask('POST', `/v1/jobs/${cancelled}/cancel`);
    const ledger = clientLedger.parse((await ask('GET', `/v1/clients/${clientId}/ledger`)).json());
    expect(ledger).toMatchObject({ accepted: 3, cancelled: 1, pending: 2, called: 0, balanced: true, check: null });
  });

  it('include a difference that a check has found', async () => {
    for (let index = 0; index < 3; index++) await schedule();
    await on.pool.query(
      `insert into ledger_checks (client, checked_at, partitions, expected, counted, due, sidelined, blocked,
         blocked_keys, dead, open_hosts) values ($1, now(), 64, 3, 2, 0, 0, 0, 0, 0, 0)`,
      [uuidOf('client', clientId)],
    );
    expect((await ask('GET', `/v1/clients/${clientId}/ledger`)).json()).toMatchObject({
      accepted: 3,
      pending: 3,
      balanced: false,
      check: { difference: -1 },
    });
  });

  it('include a forecast of the calls in the next hours, and of the minutes in which the limit is reached', async () => {
    for (let index = 0; index < 61; index++) await schedule({ delaySeconds: 630 });
    await schedule({ delaySeconds: 3600 * 7 });
    const forecast = clientForecast.parse((await ask('GET', `/v1/clients/${clientId}/forecast?hours=6`)).json());
    expect(forecast).toMatchObject({
      estimated: false,
      peak: { minute: '2026-01-01T00:10:00.000Z', callsPerSecond: 1.02 },
      minutes: [{ minute: '2026-01-01T00:10:00.000Z', calls: 61, full: true }],
    });
  });
});
