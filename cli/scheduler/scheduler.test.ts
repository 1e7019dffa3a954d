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

const region = { name: 'local', epoch: 3, active: true, reason: null, changedAt: at };

describe('muster scheduler', () => {
  test('prints the backlog, regions, nodes and hosts', async () => {
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
          endpoint: 'default',
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
    expect(out).toMatch(/down\.example +cli_1\/default +open +40 +status 503/);
    expect((await muster('regions')).out).toMatch(/local +active +3/);
  });

  test('regions switch and activate send the change and print all regions', async () => {
    const off = { ...region, name: 'east', active: false, epoch: 4 };
    api.answers['POST /v1/scheduler/regions/local/switch'] = ok({ items: [off, region], next: null });
    api.answers['POST /v1/scheduler/regions/east/activate'] = ok({ items: [region], next: null });
    expect((await muster('regions', 'switch', 'local', '--reason', 'east is cut off')).out).toMatch(/east +off +4/);
    expect(api.bodies).toEqual([{ reason: 'east is cut off' }]);
    expect((await muster('regions', 'activate', 'east')).code).toBe(exitCodes.ok);
  });

  test('enable-host sends the client and the host', async () => {
    api.answers['POST /v1/scheduler/hosts/enable'] = ok({ clientId: 'cli_1', host: 'gone.example' });
    expect((await muster('enable-host', 'orders', 'gone.example')).out).toContain('gone.example');
    expect(api.bodies).toEqual([{ client: 'orders', host: 'gone.example' }]);
  });
});
