import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  deadJobContent,
  deadJobGroup,
  deadJobShape,
  replayedJobs,
} from '../../../../shared/contracts/jobs/dead-jobs.ts';
import { regionsShape, schedulerShape } from '../../../../shared/contracts/jobs/scheduler.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { authorized, createApiDeps } from '../../../../test/support/api-deps.ts';
import { clientIdOf, jobIdOf } from '../../../../test/support/conformance/job-subject.ts';
import { createMemoryCallLedger } from '../../../../test/support/memory/call-ledger.ts';
import { createMemoryHostCircuits } from '../../../../test/support/memory/host-circuits.ts';
import { memoryJobSubject } from '../../../../test/support/memory/job-subject.ts';
import { createApi, type Api } from '../../api.ts';
import { pageShape } from '../../frame/pages.contract.ts';
import { problem } from '../../frame/problems.contract.ts';

let deps: Awaited<ReturnType<typeof createApiDeps>>;
let api: Api;
beforeEach(async () => {
  deps = await createApiDeps();
  api = await createApi(deps);
});
afterEach(() => api.close());

function send(method: 'GET' | 'POST', url: string, payload?: object) {
  return api.server.inject({ method, url, headers: authorized, ...(payload && { payload }) });
}

/** A job whose last call failed. */
async function die(number: number, cause: string, expiresInMs?: number): Promise<string> {
  const own = { tables: deps.tables, owner: 'a', leaseMs: 1000 };
  const job = { jobId: jobIdOf(number), clientId: clientIdOf(1), dueInMs: 0, body: '{"a":1}' };
  const claims = await memoryJobSubject(deps.tables).add([
    { ...job, ...(expiresInMs !== undefined && { expiresInMs }) },
  ]);
  const ledger = createMemoryCallLedger(own);
  const { claimed } = await ledger.flush({ results: [], claims });
  const note = { status: 500, latencyMs: 5, error: cause, answer: 'sorry' };
  await ledger.flush({
    results: claimed.map((each) => ({ ...each, verdict: { kind: 'dead', cause }, note })),
    claims: [],
  });
  return publicId('job', jobIdOf(number));
}

describe('dead jobs over the API', () => {
  it('are listed, grouped by client and cause, and shown whole', async () => {
    const id = await die(1, 'status 500');
    await die(2, 'connection refused');
    const client = publicId('client', clientIdOf(1));
    const groups = pageShape(deadJobGroup).parse((await send('GET', '/v1/dead-jobs/groups')).json());
    expect(groups.items.map(({ clientId, cause, jobs }) => [clientId, cause, jobs])).toEqual([
      [client, 'connection refused', 1],
      [client, 'status 500', 1],
    ]);
    const page = pageShape(deadJobShape).parse((await send('GET', '/v1/dead-jobs?cause=status%20500')).json());
    expect(page.items).toMatchObject([{ id, clientId: client, cause: 'status 500', status: 500, expired: false }]);
    const shown = deadJobContent.parse((await send('GET', `/v1/dead-jobs/${id}`)).json());
    expect(shown).toMatchObject({ id, body: '{"a":1}', answer: 'sorry', attempts: 1 });
  });

  it('are listed page by page', async () => {
    for (const number of [1, 2, 3]) await die(number, 'status 500');
    const first = pageShape(deadJobShape).parse((await send('GET', '/v1/dead-jobs?limit=2')).json());
    const second = pageShape(deadJobShape).parse(
      (await send('GET', `/v1/dead-jobs?limit=2&cursor=${first.next}`)).json(),
    );
    expect([first.items.length, second.items.length, second.next]).toEqual([2, 1, null]);
    expect((await send('GET', '/v1/dead-jobs?cursor=nonsense')).statusCode).toBe(422);
  });

  it('are called again one by one; what is no dead job is not found', async () => {
    const id = await die(1, 'status 500');
    expect(replayedJobs.parse((await send('POST', `/v1/dead-jobs/${id}/replay`, {})).json())).toEqual({
      jobs: 1,
      expired: 0,
    });
    expect((await send('POST', `/v1/dead-jobs/${id}/replay`, {})).statusCode).toBe(404);
    expect(deps.tables.jobs.get(jobIdOf(1))).toMatchObject({ attempt: 1, dueAtMs: deps.clock.nowMs() });
  });

  it('that have expired are called again only when that is said', async () => {
    const id = await die(1, 'status 500', 1000);
    deps.clock.advance(1000);
    const refused = await send('POST', `/v1/dead-jobs/${id}/replay`, {});
    expect([refused.statusCode, problem.parse(refused.json()).code]).toEqual([409, 'expired']);
    expect(replayedJobs.parse((await send('POST', '/v1/dead-jobs/replay', { all: true })).json())).toEqual({
      jobs: 0,
      expired: 1,
    });
    expect((await send('POST', `/v1/dead-jobs/${id}/replay`, { withExpired: true })).statusCode).toBe(200);
    expect(deps.tables.jobs.get(jobIdOf(1))?.expiresAtMs).toBeNull();
  });

  it('are called again by cause, at a rate; what names nothing is refused', async () => {
    for (const number of [1, 2, 3]) await die(number, 'status 500');
    await die(4, 'connection refused');
    const replayed = await send('POST', '/v1/dead-jobs/replay', { cause: 'status 500', perSecond: 2 });
    expect(replayedJobs.parse(replayed.json())).toEqual({ jobs: 3, expired: 0 });
    const dues = [1, 2, 3].map((number) => (deps.tables.jobs.get(jobIdOf(number))?.dueAtMs ?? 0) - deps.clock.nowMs());
    expect(dues.sort((a, b) => a - b)).toEqual([0, 500, 1000]);
    expect((await send('POST', '/v1/dead-jobs/replay', {})).statusCode).toBe(422);
    expect((await send('POST', '/v1/dead-jobs/replay', { client: 'nobody' })).statusCode).toBe(422);
  });
});

describe('the scheduler over the API', () => {
  it('shows regions, partitions, hosts that are left alone, and what is due', async () => {
    const circuits = createMemoryHostCircuits({ tables: deps.tables, owner: 'a', leaseMs: 1000 });
    await circuits.open({ clientId: clientIdOf(1), host: 'down.example' }, 'status 503', 1000);
    const [dueInMs, clientId] = [-500, clientIdOf(1)];
    await memoryJobSubject(deps.tables).add([
      { jobId: jobIdOf(1), clientId, dueInMs },
      { jobId: jobIdOf(2), clientId, dueInMs, sideline: 'down.example' },
    ]);
    const look = schedulerShape.parse((await send('GET', '/v1/scheduler')).json());
    expect(look.regions).toMatchObject([{ name: 'local', epoch: 1, active: true }]);
    expect(look.partitions).toHaveLength(64);
    expect(look.hosts).toMatchObject([{ host: 'down.example', state: 'open', cause: 'status 503', sidelined: 1 }]);
    expect(look.backlog).toEqual({ due: 1, oldestMs: 500, seconds: 0 });
  });

  it('makes one region the only one, again without effect, and lets the other take part again', async () => {
    deps.tables.regions.set('east', { epoch: 1, active: true });
    const states = async (url: string) =>
      regionsShape
        .parse((await send('POST', url, {})).json())
        .items.map(({ name, epoch, active }) => [name, epoch, active]);
    const switched = [
      ['east', 1, true],
      ['local', 2, false],
    ];
    expect(await states('/v1/scheduler/regions/east/switch')).toEqual(switched);
    expect(await states('/v1/scheduler/regions/east/switch')).toEqual(switched);
    expect(await states('/v1/scheduler/regions/local/activate')).toEqual([
      ['east', 1, true],
      ['local', 3, true],
    ]);
    expect((await send('POST', '/v1/scheduler/regions/west/switch', {})).statusCode).toBe(404);
  });

  it('brings the jobs of a host back that is left alone', async () => {
    const circuits = createMemoryHostCircuits({ tables: deps.tables, owner: 'a', leaseMs: 1000 });
    const key = { clientId: clientIdOf(1), host: 'gone.example' };
    await circuits.disable(key, 'status 410');
    const body = { client: publicId('client', key.clientId), host: key.host };
    expect((await send('POST', '/v1/scheduler/hosts/enable', body)).statusCode).toBe(200);
    expect(await circuits.read()).toMatchObject([{ ...key, state: 'closing' }]);
    expect((await send('POST', '/v1/scheduler/hosts/enable', body)).statusCode).toBe(200);
  });
});
