import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../frame/exit-codes.ts';
import { reportOf } from './sample-run.ts';
import { campaign, scheduled } from '../campaigns/sample-campaign.ts';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { runMuster, type Sitting } from '../test-muster.ts';

const { steps: _steps, countries: _countries, ...summary } = reportOf({});

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

const muster = (args: string[], sitting: Sitting = {}) => runMuster(args, { api, ...sitting });
const ok = (body: unknown) => ({ status: 200, body });

const controlled = {
  run: { ...summary, state: 'pausing' },
  inFlight: { batches: 12, users: 1200, steps: [{ step: 1, batches: 12, users: 1200 }] },
  waiting: 0,
  ready: 40,
  timeToStopMs: 12_000,
};

describe('muster run pause, resume and cancel', () => {
  test('print the calls in flight and how long they may take', async () => {
    api.answers['POST /v1/runs/run_1/pause'] = ok(controlled);
    const { code, out } = await muster(['run', 'pause', 'run_1', '--reason', 'wrong reward']);
    expect(code).toBe(exitCodes.ok);
    expect(out).toBe('run_1 pausing; 12 calls were under way (1,200 users), they end within 12 s\n');
    expect(api.bodies).toEqual([{ reason: 'wrong reward' }]);
  });

  test('send the variant that is chosen for all users outside the canary', async () => {
    api.answers['POST /v1/runs/run_1/resume'] = ok({ ...controlled, run: { ...controlled.run, state: 'running' } });
    await muster(['run', 'resume', 'run_1', '--variant', 'B']);
    expect(api.bodies).toEqual([{ variant: 'B' }]);
  });

  test('act on the newest run if given a campaign', async () => {
    api.answers['GET /v1/runs?campaignId=cmp_1&limit=1'] = ok({ items: [{ runId: 'run_1' }] });
    const nothing = { batches: 0, users: 0, steps: [] };
    api.answers['POST /v1/runs/run_1/resume'] = ok({ ...controlled, run: { ...controlled.run, state: 'running' } });
    const paused = { ...controlled, inFlight: nothing, run: { ...controlled.run, state: 'paused' } };
    api.answers['POST /v1/runs/run_1/pause'] = ok(paused);
    expect((await muster(['campaign', 'resume', 'cmp_1'])).out).toBe('run_1 running\n');
    expect((await muster(['campaign', 'pause', 'cmp_1'])).out).toBe('run_1 paused; nothing was under way\n');
  });

  test('print the reason if the state of the run forbids the change', async () => {
    const detail =
      'run_1 is completed and cannot be paused; a run can be while it is preparing, running, pausing or paused';
    const body = { title: 'Conflict', status: 409, detail, code: 'state-forbids' };
    api.answers['POST /v1/runs/run_1/pause'] = { status: 409, body };
    const { code, notes } = await muster(['run', 'pause', 'run_1']);
    expect(code).toBe(exitCodes.refused);
    expect(notes).toBe(`not paused: ${detail}\n`);
  });
});

describe('muster run cancel', () => {
  const preview = {
    runId: 'run_1',
    state: 'running',
    notFedUsers: 20_000,
    notStartedUsers: 80_000,
    halfWayUsers: 1200,
    finishingUsers: 100,
    endedUsers: 23_700,
    inFlight: { batches: 12, users: 1200 },
    countries: [],
    waiting: 3,
    timeToStopMs: 12_000,
  };

  beforeEach(() => {
    api.answers['GET /v1/runs/run_1/cancel-preview'] = ok(preview);
    api.answers['POST /v1/runs/run_1/cancel'] = ok({ ...controlled, run: { ...controlled.run, state: 'cancelling' } });
  });

  test('asks for confirmation, and states how many users are skipped, stopped or finished', async () => {
    const { code, notes } = await muster(['run', 'cancel', 'run_1'], { typed: 'n\n' });
    expect(code).toBe(exitCodes.failure);
    expect(notes).toBe(
      '100,000 users not begun get nothing; 1,200 users under way stop after their present step; 100 users finish; ' +
        '23,700 users have ended; 12 calls are under way, the last one ends within 12 s. There is no way back. Cancel run_1? y/N\nnot cancelled\n',
    );
    expect(api.requests.map(({ line }) => line)).toEqual(['GET /v1/runs/run_1/cancel-preview']);
  });

  test('states the numbers by country if the run has several countries', async () => {
    const step = { step: 1, action: 'award-reward', halfWayUsers: 0 };
    const countries = [
      { country: 'SG', notFedUsers: 0, steps: [{ ...step, notStartedUsers: 1000, inFlightUsers: 100 }] },
      {
        country: 'VN',
        notFedUsers: 0,
        steps: [
          { ...step, notStartedUsers: 79_000, inFlightUsers: 0 },
          { ...step, step: 2, notStartedUsers: 0, halfWayUsers: 1200, inFlightUsers: 1100 },
        ],
      },
    ];
    api.answers['GET /v1/runs/run_1/cancel-preview'] = ok({ ...preview, countries });
    const { notes } = await muster(['run', 'cancel', 'run_1'], { typed: 'n\n' });
    expect(notes).toContain('  SG: 1,000 not begun, 0 half-way, 100 in flight\n');
    expect(notes).toContain('  VN: 79,000 not begun, 1,200 half-way, 1,100 in flight\n');
  });

  test('cancels the run after a yes, with --yes and without a terminal', async () => {
    for (const [args, sitting] of [
      [[], { typed: 'y\n' }],
      [['--yes'], { typed: '' }],
      [[], {}],
    ] as const) {
      const { code, out } = await muster(['run', 'cancel', 'run_1', ...args], sitting);
      expect(code).toBe(exitCodes.ok);
      expect(out).toBe('run_1 cancelling; 12 calls were under way (1,200 users), they end within 12 s\n');
    }
  });

  test('unschedules a campaign that has not started', async () => {
    api.answers['GET /v1/campaigns/cmp_1'] = ok(scheduled);
    api.answers['POST /v1/campaigns/cmp_1/unschedule'] = ok(campaign);
    expect((await muster(['campaign', 'cancel', 'cmp_1'])).out).toBe('cmp_1 is a draft again; nothing had begun\n');
  });
});

describe('muster run set', () => {
  test('sends the given settings and prints the settings of the run', async () => {
    const settings = { ...summary.settings, priority: 'high', paceUsersPerSecond: 500, pauseAtFailedPercent: 5 };
    api.answers['PATCH /v1/runs/run_1'] = ok({ ...controlled, run: { ...summary, state: 'running', settings } });
    const args = ['--priority', 'high', '--pace', '500', '--pause-at-failed', 'none', '--deadline-seconds', '7200'];
    const { code, out } = await muster(['run', 'set', 'run_1', ...args]);
    expect(code).toBe(exitCodes.ok);
    expect(api.bodies).toEqual([
      { deadlineSeconds: 7200, priority: 'high', paceUsersPerSecond: 500, pauseAtFailedPercent: null },
    ]);
    expect(out).toBe(
      'run_1 running; deadline 2026-11-22 09:00 UTC, priority high, at most 500 users/s, pauses at 5 % failed of 1,000 users or more\n',
    );
  });

  test('fails with a usage error without settings or with a value that is not a number', async () => {
    expect((await muster(['run', 'set', 'run_1'])).code).toBe(exitCodes.usage);
    expect((await muster(['run', 'set', 'run_1', '--pace', 'fast'])).code).toBe(exitCodes.usage);
  });
});

describe('muster run events', () => {
  test('prints the history of a run line by line', async () => {
    const by = { keyId: 'key_1', keyName: 'the night shift' };
    const items = [
      { id: 'evt_1', at: '2026-11-21T09:00:00.000Z', kind: 'begun', detail: { feeds: 2 } },
      { id: 'evt_2', at: '2026-11-21T09:00:05.000Z', kind: 'pausing', detail: { by, reason: 'wrong reward' } },
    ];
    api.answers['GET /v1/runs/run_1/events?limit=100'] = ok({ items, next: null });
    const { out } = await muster(['run', 'events', 'run_1']);
    expect(out).toMatch(/2026-11-21 09:00:00 UTC +begun +feeds 2/);
    expect(out).toMatch(/2026-11-21 09:00:05 UTC +pausing +by the night shift, reason wrong reward/);
  });

  test('prints each disruption with its place and duration', async () => {
    const place = { country: 'SG', step: 1, action: 'award-reward', cause: 'HTTP 503' };
    const at = '2026-11-21T09:00:00.000Z';
    const items = [{ id: 'evt_1', at, kind: 'breaker-closed', detail: { ...place, forMs: 161_000 } }];
    api.answers['GET /v1/runs/run_1/events?limit=100'] = ok({ items, next: null });
    const { out } = await muster(['run', 'events', 'run_1']);
    expect(out).toMatch(/breaker closed +country SG, step 1, action award-reward, cause HTTP 503, for 2 min 41 s/);
  });
});

describe('muster run rates', () => {
  test('prints the rates of the run over time', async () => {
    const points = [
      { at: '2026-11-21T09:00:00.001Z', usersPerSecond: 20 },
      { at: '2026-11-21T09:05:00.000Z', usersPerSecond: 20 },
    ];
    const recordedSince = '2026-11-21T09:05:00.000Z';
    api.answers['GET /v1/runs/run_1/rates'] = ok({ notedSince: recordedSince, points });
    const { out } = await muster(['run', 'rates', 'run_1']);
    expect(out).toContain('at most 20 at 2026-11-21 09:00 UTC');
    expect(out).toContain('noted since 2026-11-21 09:05 UTC');
    expect(JSON.parse((await muster(['run', 'rates', 'run_1', '--json'])).out)).toEqual({
      notedSince: recordedSince,
      points,
    });
  });
});
