import { beforeEach, describe, expect, it } from 'vitest';
import { clientLoad } from '../../../shared/contracts/jobs/client-load.ts';
import { clientShape } from '../../../shared/contracts/jobs/clients.ts';
import { uuidOf } from '../../../shared/domain/ids/ids.ts';
import { endpointIdOf } from '../../../shared/domain/job/job-ids.ts';
import { callDurationBuckets, durationBucketOf } from '../../../shared/domain/job/call-durations.ts';
import type { CallDurations, NodeCredit, EndpointCalls } from '../../../shared/ports/job-nodes.ts';
import { createJobNodes } from '../../../shared/postgres/jobs/job-nodes.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { jobIdOf } from '../../../test/support/conformance/job-subject.ts';

const on = apiOnPostgres();

let [client, hooks] = ['', ''];
let jobs = 0;

beforeEach(async () => {
  jobs = 0;
  client = await makeClient('orders', { publishRatePerSecond: 400, concurrency: 64 });
  const endpoint = { name: 'hooks', url: 'https://hooks.example.com/v1', concurrency: 10 };
  const made = await on.ask('POST', '/v1/clients/orders/endpoints', endpoint);
  expect(made.statusCode, made.body).toBe(201);
  hooks = endpointIdOf(client, 'hooks');
});

async function makeClient(name: string, fields: object = {}): Promise<string> {
  const made = clientShape.parse((await on.ask('POST', '/v1/clients', { name, endpoint: fields })).json());
  return uuidOf('client', made.id) ?? expect.fail(`${made.id} is no id of a client`);
}

interface Stored {
  of?: string;
  endpoint?: string;
  /** Milliseconds since the job was due; negative if it is due in the future. */
  dueForMs?: number;
  /** Host for which a sidelined job waits. */
  aside?: string;
  isCalled?: boolean;
  reports?: boolean;
  partition?: number;
}

/** Stores a job in the given state. */
async function store({ of = client, endpoint, dueForMs = 0, aside, isCalled, reports, partition = 0 }: Stored) {
  const id = jobIdOf(jobs++);
  const dueAt = aside === undefined ? `now() - ${dueForMs} * interval '1 ms'` : `'infinity'`;
  await on.pool.query(
    `insert into jobs (partition_id, due_at, id, client, scheduled_for, method, url, terms, sideline, report)
     values ($1, ${dueAt}, $2, $3, now(), 'POST', 'https://shop.example/hook', $4, $5, $6)`,
    [partition, id, of, endpoint && `{"endpoint":"${endpoint}"}`, aside ?? null, reports === true ? '{}' : null],
  );
  if (isCalled !== true) return;
  await on.pool.query(
    `insert into job_claims (partition_id, due_at, id, owner, epoch, lease_until)
     select partition_id, due_at, id, 'dispatcher@a/1', 1, now() + interval '90 s' from jobs where id = $1`,
    [id],
  );
}

interface Dispatcher {
  owner: string;
  credit: NodeCredit | null;
  calls?: Record<string, EndpointCalls>;
  durations?: CallDurations;
}

const beat = (dispatcher: Dispatcher) =>
  createJobNodes({ pool: on.pool }).beat({ ...dispatcher, kind: 'dispatcher', region: 'local', figures: {} }, 10_000);

/** Returns the counts by duration, with the given number of calls for each duration. */
function buckets(...took: [ms: number, calls: number][]): number[] {
  const counts = Array.from({ length: callDurationBuckets }, () => 0);
  for (const [ms, calls] of took) counts[durationBucketOf(ms)] = calls;
  return counts;
}

const load = async () => clientLoad.parse((await on.ask('GET', '/v1/clients/orders/load')).json());

describe('the load of a client', () => {
  it('is zero if no job is due, and includes the limits of the client', async () => {
    await store({ dueForMs: -60_000 });
    const none = {
      due: 0,
      lagMs: 0,
      sidelined: 0,
      callsPerSecond: 0,
      underWay: 0,
      lastTenMinutes: { calls: 0, callsPerSecond: 0, p95AtMostMs: null },
    };
    expect(await load()).toMatchObject({
      ...none,
      maxCallsPerSecond: 800,
      maxUnderWay: 74,
      estimated: false,
      dispatchers: [],
      endpoints: [
        { endpoint: 'default', ...none, maxCallsPerSecond: 400, maxUnderWay: 64, circuitOpenSince: null },
        { endpoint: 'hooks', ...none, maxCallsPerSecond: 400, maxUnderWay: 10, circuitOpenSince: null },
      ],
    });
  });

  it('counts due jobs that are not being called, and has the lag of the oldest', async () => {
    await store({ dueForMs: 90_000, isCalled: true });
    await store({ dueForMs: 80_000, reports: true });
    await store({ dueForMs: 70_000, of: await makeClient('another') });
    await store({ dueForMs: 5000 });
    await store({ dueForMs: 600, partition: 63 });
    await store({ dueForMs: 12_000, endpoint: hooks });
    expect(await load()).toMatchObject({
      due: 3,
      lagMs: 12_000,
      endpoints: [
        { endpoint: 'hooks', due: 1, lagMs: 12_000 },
        { endpoint: 'default', due: 2, lagMs: 5000 },
      ],
    });
  });

  it('counts the jobs that a dead dispatcher had claimed as due, after the claims have expired', async () => {
    await store({ dueForMs: 1000, isCalled: true });
    expect((await load()).due).toBe(0);
    await on.passTime(91_000);
    expect(await load()).toMatchObject({ due: 1, lagMs: 92_000 });
  });

  it('lists the endpoint with a sidelined host first, with the time since when it is sidelined', async () => {
    await store({ dueForMs: 60_000 });
    await store({ endpoint: hooks, aside: 'hooks.example.com' });
    await on.pool.query(
      `insert into host_circuits (endpoint, host, state, cause, next_at) values ($1, 'hooks.example.com', 'open',
         '502', now())`,
      [hooks],
    );
    const { endpoints, sidelined, asOf } = await load();
    expect(sidelined).toBe(1);
    expect(endpoints.map(({ endpoint }) => endpoint)).toEqual(['hooks', 'default']);
    expect(endpoints[0]).toMatchObject({ due: 0, sidelined: 1, circuitOpenSince: asOf });
  });

  it('is marked as an estimate if more jobs are due than were read, and then has the counts of the last check', async () => {
    const another = await makeClient('another');
    await on.pool.query(
      `insert into jobs (partition_id, due_at, id, client, scheduled_for, method, url)
       select 5, now() - interval '1 hour', uuid_of_now(), $1, now(), 'POST', 'https://other.example'
       from generate_series(1, 500)`,
      [another],
    );
    await store({ dueForMs: 1000, partition: 5 });
    expect(await load()).toMatchObject({ due: 0, lagMs: 0, estimated: true });
    await on.pool.query(
      `insert into ledger_checks (client, checked_at, partitions, expected, counted, due, oldest_due_at, sidelined,
         blocked, blocked_keys, dead, open_hosts)
       values ($1, now(), 32, 7, 3, 3, now() - interval '40 s', 0, 0, 0, 0, 0)`,
      [client],
    );
    expect(await load()).toMatchObject({ due: 6, lagMs: 40_000, estimated: true });
  });

  it('shows the calls of each dispatcher with their limits, and its remaining credit', async () => {
    const credit = { toAnyClient: 200, toClients: { [client]: 86, [`${client}/high`]: 90 } };
    const calls = {
      [client]: { underWay: 14, slots: 32, lastMinute: 2520 },
      [hooks]: { underWay: 1, slots: 5, lastMinute: 30 },
    };
    await beat({ owner: 'dispatcher@a/1', credit, calls });
    await beat({ owner: 'dispatcher@b/2', credit: { toAnyClient: 150, toClients: {} }, calls: {} });
    await beat({ owner: 'dispatcher@stops/3', credit: null, calls });
    // A heartbeat without calls: the calls of the previous heartbeat stay valid, because dispatchers report calls less
    // often.
    await beat({ owner: 'dispatcher@a/1', credit });
    expect(await load()).toMatchObject({
      callsPerSecond: 42.5,
      underWay: 15,
      dispatchers: [
        {
          dispatcher: 'dispatcher@a/1',
          region: 'local',
          callsPerSecond: 42.5,
          underWay: 15,
          maxUnderWay: 37,
          credit: 286,
        },
        { dispatcher: 'dispatcher@b/2', callsPerSecond: 0, underWay: 0, maxUnderWay: null, credit: 300 },
      ],
    });
    await createJobNodes({ pool: on.pool }).leave('dispatcher@b/2');
    expect((await load()).dispatchers.map(({ dispatcher }) => dispatcher)).toEqual(['dispatcher@a/1']);
    await on.pool.query(`update regions set active = false`);
    expect(await load()).toMatchObject({ dispatchers: [], callsPerSecond: 0 });
    await on.pool.query(`update regions set active = true`);
    await on.passTime(11_000);
    expect((await load()).dispatchers).toEqual([]);
  });

  it('shows the durations of calls in the last ten minutes of all dispatchers, by endpoint', async () => {
    const credit = { toAnyClient: 200, toClients: {} };
    const another = await makeClient('another');
    const byEndpoint = new Map([
      [client, buckets([100, 570], [250, 20])],
      [hooks, buckets([1000, 94], [5000, 6])],
      [another, buckets([60_000, 9000])],
    ]);
    await beat({ owner: 'dispatcher@a/1', credit, durations: { forMs: 600_000, byEndpoint } });
    // Dispatcher b has counted for one minute only, so its rates are computed over one minute.
    const ofB = new Map([[client, buckets([100, 10], [500, 49])]]);
    await beat({ owner: 'dispatcher@b/2', credit, durations: { forMs: 60_000, byEndpoint: ofB } });
    await beat({ owner: 'dispatcher@idle/3', credit, durations: { forMs: 600_000, byEndpoint: new Map() } });
    // A heartbeat without durations: the durations of the previous heartbeat stay valid.
    await beat({ owner: 'dispatcher@a/1', credit });
    expect(await load()).toMatchObject({
      lastTenMinutes: { calls: 749, callsPerSecond: 2.13, p95AtMostMs: 1000 },
      endpoints: [
        { endpoint: 'default', lastTenMinutes: { calls: 649, callsPerSecond: 1.97, p95AtMostMs: 500 } },
        { endpoint: 'hooks', lastTenMinutes: { calls: 100, callsPerSecond: 0.17, p95AtMostMs: 5000 } },
      ],
    });
    await createJobNodes({ pool: on.pool }).leave('dispatcher@a/1');
    await on.passTime(11_000);
    expect(await load()).toMatchObject({ lastTenMinutes: { calls: 0, callsPerSecond: 0, p95AtMostMs: null } });
  });

  it('shows the lag above which the client is marked as behind', async () => {
    expect((await load()).behindAfterMs).toBe(300_000);
  });

  it('is refused to a key for other clients', async () => {
    await makeClient('theirs');
    const body = { name: 'theirs', role: 'viewer', scope: { clients: ['theirs'] } };
    const { secret } = (await on.ask('POST', '/v1/api-keys', body)).json<{ secret: string }>();
    const headers = { authorization: `Bearer ${secret}` };
    const response = await on.api.server.inject({ url: '/v1/clients/orders/load', headers });
    expect(response.statusCode).toBe(404);
  });
});
