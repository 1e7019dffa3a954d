import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../frame/exit-codes.ts';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { runMuster } from '../test-muster.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

const muster = (...args: string[]) => runMuster(args, { api });
const ok = (body: unknown) => ({ status: 200, body });
const at = '2026-11-22T06:00:00.000Z';

const dead = {
  ...{ id: 'job_1', clientId: 'cli_1', cause: 'status 500', diedAt: at, scheduledFor: at, expiresAt: null },
  ...{ expired: false, attempts: 3, method: 'POST', url: 'https://one.example/x', status: 500 },
};

describe('dead-jobs', () => {
  test('list shows groups, and single jobs with --jobs', async () => {
    api.answers['GET /v1/dead-jobs/groups?client=orders'] = ok({
      items: [{ clientId: 'cli_1', cause: 'status 500', jobs: 1200, firstAt: at, lastAt: at }],
      next: null,
    });
    api.answers['GET /v1/dead-jobs?cause=status%20500&limit=50'] = ok({ items: [dead], next: 'on' });
    expect((await muster('dead-jobs', 'list', '--client', 'orders')).out).toMatch(/1,200 +cli_1 +status 500/);
    const { out, notes } = await muster('dead-jobs', 'list', '--jobs', '--cause', 'status 500');
    expect(out).toMatch(/job_1 +cli_1 +status 500 +https:\/\/one\.example\/x/);
    expect(notes).toContain('--cursor on');
  });

  test('show prints the body and the answer, with nothing that steers a terminal', async () => {
    const content = { headers: null, body: '{"a":1}', answer: 'no\u001b[2Jway', idempotencyKey: null, tags: [] };
    api.answers['GET /v1/dead-jobs/job_1'] = ok({ ...dead, ...content });
    const { out } = await muster('dead-jobs', 'show', 'job_1');
    expect(out).toContain('(body)\n{"a":1}');
    expect(out).not.toContain('\u001b[2J');
  });

  test('replay asks for one, or for all that fit at a rate, and tells what was left alone', async () => {
    api.answers['POST /v1/dead-jobs/job_1/replay'] = ok({ jobs: 1, expired: 0 });
    api.answers['POST /v1/dead-jobs/replay'] = ok({ jobs: 12, expired: 3 });
    expect((await muster('dead-jobs', 'replay', 'job_1')).out).toBe('1 job is called again\n');
    const many = await muster('dead-jobs', 'replay', '--client', 'orders', '--per-second', '20');
    expect(many.out).toBe('12 jobs are called again\n');
    expect(many.notes).toContain('--with-expired');
    expect(api.bodies).toEqual([{}, { client: 'orders', perSecond: 20 }]);
  });

  test('discard puts one away, or all that fit, and refuses to guess which', async () => {
    api.answers['POST /v1/dead-jobs/job_1/discard'] = ok({ jobs: 1 });
    api.answers['POST /v1/dead-jobs/discard'] = ok({ jobs: 1200 });
    expect((await muster('dead-jobs', 'discard', 'job_1')).out).toBe('1 job is put away\n');
    const many = await muster('dead-jobs', 'discard', '--client', 'orders', '--cause', 'status 410');
    expect(many.out).toBe('1,200 jobs are put away\n');
    expect(api.bodies).toEqual([{ client: 'orders', cause: 'status 410' }]);
    for (const args of [[], ['job_1', '--all'], ['--all', '--cause', 'x']]) {
      expect((await muster('dead-jobs', 'discard', ...args)).code).toBe(exitCodes.usage);
    }
  });

  test('replay refuses to guess which', async () => {
    for (const args of [[], ['job_1', '--all'], ['--all', '--client', 'orders'], ['job_1', '--per-second', '2']]) {
      expect((await muster('dead-jobs', 'replay', ...args)).code).toBe(exitCodes.usage);
    }
    expect(api.requests).toEqual([]);
  });
});

const region = { name: 'local', epoch: 3, active: true, reason: null, changedAt: at };

describe('scheduler', () => {
  test('shows backlog, regions, nodes and hosts', async () => {
    api.answers['GET /v1/scheduler'] = ok({
      regions: [region],
      nodes: [
        { owner: 's@1', kind: 'scheduler', region: 'local', startedAt: at, partitions: 64, figures: {} },
        {
          owner: 'd@1',
          kind: 'dispatcher',
          region: 'local',
          startedAt: at,
          partitions: 0,
          figures: { handledPerSecond: 90, queued: 3, waiting: 2 },
        },
      ],
      leaders: [{ name: 'job-partitions', owner: 's@1' }],
      partitions: [{ partition: 0, owner: null, wanted: 's@1', since: null, due: 7, oldestMs: 1000 }],
      hosts: [
        {
          clientId: 'cli_1',
          host: 'down.example',
          endpoint: null,
          state: 'open',
          cause: 'status 503',
          openedAt: at,
          sidelined: 40,
        },
      ],
      backlog: { due: 7, oldestMs: 1000, clientsBehind: 2 },
      lagMs: 12,
    });
    const { out } = await muster('scheduler');
    expect(out).toContain('7 jobs due, the oldest for 1 s');
    expect(out).toContain('1 of 1 partitions have no owner');
    expect(out).toMatch(/local +active +3/);
    expect(out).toContain('2 clients have more due than dispatchers take now');
    expect(out).toMatch(/s@1 +local +64 +0 +job-partitions/);
    expect(out).toMatch(/d@1 +local +5 +90/);
    expect(out).toMatch(/down\.example +cli_1 +open +40 +status 503/);
    expect((await muster('regions')).out).toMatch(/local +active +3/);
  });

  test('regions switch and activate ask for it and show all of them', async () => {
    const off = { ...region, name: 'east', active: false, epoch: 4 };
    api.answers['POST /v1/scheduler/regions/local/switch'] = ok({ items: [off, region], next: null });
    api.answers['POST /v1/scheduler/regions/east/activate'] = ok({ items: [region], next: null });
    expect((await muster('regions', 'switch', 'local', '--reason', 'east is cut off')).out).toMatch(/east +off +4/);
    expect(api.bodies).toEqual([{ reason: 'east is cut off' }]);
    expect((await muster('regions', 'activate', 'east')).code).toBe(exitCodes.ok);
  });

  test('enable-host names client and host', async () => {
    api.answers['POST /v1/scheduler/hosts/enable'] = ok({ clientId: 'cli_1', host: 'gone.example' });
    expect((await muster('enable-host', 'orders', 'gone.example')).out).toContain('gone.example');
    expect(api.bodies).toEqual([{ client: 'orders', host: 'gone.example' }]);
  });
});
