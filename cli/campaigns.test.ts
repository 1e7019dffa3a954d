import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import packageFacts from '../package.json' with { type: 'json' };
import { exitCodes } from './exit-codes.ts';
import { runProgram } from './program.ts';
import { lineOf, progressOf, reportOf } from './render/sample-run.ts';
import { startTestApi, type TestApi } from './test-api.ts';
import { createTestTerminal } from './test-terminal.ts';
import type { Terminal } from './terminal.ts';

const campaign = {
  id: 'cmp_1',
  name: 'Lapsed riders',
  revision: 1,
  state: 'draft',
  countries: ['SG', 'ID'],
  audience: { include: [{ segment: 'lapsed-riders' }] },
  chain: [
    { action: 'award-reward', params: { units: 2 } },
    { action: 'send-message', params: {} },
  ],
  schedule: { type: 'now' },
  deadlineSeconds: 21_600,
  priority: 'normal',
  createdAt: '2026-11-21T20:44:20.000Z',
  startsAt: null,
  nextRunAt: null,
  links: { latestRun: null },
};

const schedule = { type: 'at', time: '2127-01-15T09:00:00', zone: 'Asia/Singapore' };
const scheduled = {
  ...campaign,
  state: 'scheduled',
  schedule,
  startsAt: '2127-01-15T01:00:00.000Z',
  nextRunAt: '2127-01-15T01:00:00.000Z',
};

const { steps: _steps, countries: _countries, ...summary } = reportOf({});

let api: TestApi;
let environment: NodeJS.ProcessEnv;

beforeEach(async () => {
  api = await startTestApi();
  environment = { MUSTER_API_URL: api.url, MUSTER_API_KEY: 'muster_key' };
});

afterEach(() => api.stop());

interface Sitting {
  /** What a person types; absent: nobody is there. */
  typed?: string;
  terminal?: Partial<Terminal>;
  interrupt?: AbortSignal;
}

async function muster(args: string[], { typed, terminal: over = {}, interrupt }: Sitting = {}) {
  const terminal = createTestTerminal({ ...over, live: typed !== undefined });
  const input = Readable.from(typed === undefined ? [] : [typed]);
  if (typed !== undefined) Object.assign(input, { isTTY: true });
  const onInterrupt = () => interrupt ?? new AbortController().signal;
  const code = await runProgram(args, { terminal, environment, input, onInterrupt });
  return { code, ...terminal.written };
}

const ok = (body: unknown) => ({ status: 200, body });

describe('create', () => {
  const options = ['--name', 'x', '--segment', 's', '--countries', 'SG', '--action', 'award-reward'];

  test('says when it would start, in its zone and in UTC', async () => {
    api.answers['POST /v1/campaigns'] = { status: 201, body: { ...scheduled, state: 'draft', nextRunAt: null } };
    expect((await muster(['campaign', 'create', ...options])).notes).toBe(
      'a draft; once started it waits until 2127-01-15 09:00 Asia/Singapore (2127-01-15 01:00 UTC): muster campaign start cmp_1\n',
    );
  });

  test('from a file keeps the pointers, and a problem of the whole body has none', async () => {
    const errors = [
      { pointer: '', detail: 'has to be an object' },
      { pointer: '/chain/0', detail: 'is odd' },
    ];
    const body = { title: 'Unprocessable Entity', status: 422, detail: 'the request has problems', errors };
    api.answers['POST /v1/campaigns'] = { status: 422, body };
    const terminal = createTestTerminal();
    const onInterrupt = () => new AbortController().signal;

    const args = ['campaign', 'create', '-f', '-'];
    const code = await runProgram(args, { terminal, environment, input: Readable.from(['[]']), onInterrupt });

    expect(code).toBe(exitCodes.refused);
    expect(terminal.written.notes).toBe('not created:\n  has to be an object\n  /chain/0  is odd\n');
  });

  test('is sent again under the same key while the database is away, and says that it waits', async () => {
    const detail = 'the database does not answer';
    const away = {
      status: 503,
      body: { title: 'x', status: 503, detail, requestId: 'req-7' },
      headers: { 'retry-after': '0.01' },
    };
    api.answers['POST /v1/campaigns'] = [away, away, { status: 201, body: campaign }];

    const { code, notes } = await muster(['campaign', 'create', ...options]);

    expect(code).toBe(exitCodes.ok);
    expect(notes.match(/the database does not answer \(request req-7\); trying again/g)).toHaveLength(1);
    const keys = api.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^cli-/);
  });
});

describe('budget', () => {
  const sg = { country: 'SG', units: 1000, used: 940, reserved: 60, left: 0, waitingBatches: 2 };

  test('shows what is used, reserved and left in each country', async () => {
    api.answers['GET /v1/campaigns/cmp_1/budgets'] = ok({ items: [sg] });
    const { code, out } = await muster(['campaign', 'budget', 'cmp_1']);
    expect(code).toBe(exitCodes.ok);
    expect(out).toContain('budget');
    expect(out.split('\n').some((line) => /SG +1,000 +940 +60 +0 +2/.test(line))).toBe(true);
  });

  test('changes what is given', async () => {
    api.answers['PATCH /v1/campaigns/cmp_1/budgets'] = ok({ items: [{ ...sg, units: 2000, left: 1000 }] });
    const { out } = await muster(['campaign', 'budget', 'cmp_1', 'SG=2000']);
    expect(api.bodies).toEqual([{ budgets: [{ country: 'SG', units: 2000 }] }]);
    expect(out).toContain('2,000');
  });

  test('says that nothing is limited where there is none', async () => {
    api.answers['GET /v1/campaigns/cmp_1/budgets'] = ok({ items: [] });
    expect((await muster(['campaign', 'budget', 'cmp_1'])).out).toBe('no budgets: nothing is limited\n');
  });
});

describe('start', () => {
  beforeEach(() => {
    api.answers['GET /v1/campaigns/cmp_1'] = ok(campaign);
    api.answers['POST /v1/campaigns/cmp_1/start'] = ok(scheduled);
  });

  const started = () => api.requests.some(({ line }) => line.startsWith('POST'));

  test.each([
    ['y\n', true],
    ['yes\n', true],
    ['n\n', false],
    ['\n', false],
    ['', false],
  ])('asks a person who answers %j', async (typed, goes) => {
    const { code, notes } = await muster(['campaign', 'start', 'cmp_1'], { typed });

    expect(notes).toContain(
      'all users of lapsed-riders in SG, ID get award-reward, then send-message; starts at once. Go? y/N',
    );
    expect(started()).toBe(goes);
    expect(code).toBe(goes ? exitCodes.ok : exitCodes.failure);
  });

  test('does not ask where nobody is, nor with --yes', async () => {
    expect((await muster(['campaign', 'start', 'cmp_1'])).notes).toBe('');
    expect((await muster(['campaign', 'start', 'cmp_1', '--yes'], { typed: '' })).out).toBe(
      'cmp_1 scheduled, due 2127-01-15 09:00 Asia/Singapore (2127-01-15 01:00 UTC)\n',
    );
  });
});

test('show tells the whole campaign and its runs', async () => {
  api.answers['GET /v1/campaigns/cmp_1'] = ok({ ...scheduled, name: 'evil\u202etxt' });
  api.answers['GET /v1/runs?campaignId=cmp_1&limit=5'] = ok({
    items: [{ ...summary, state: 'completed' }],
    next: null,
  });

  expect(`\n${(await muster(['campaign', 'show', 'cmp_1'])).out}`).toMatchInlineSnapshot(`
    "
      evil·txt
      cmp_1 · scheduled · revision 1

      who       segment lapsed-riders
      where     SG, ID
      what      1 award-reward {"units":2}
                2 send-message {}
      when      due 2127-01-15 09:00 Asia/Singapore (2127-01-15 01:00 UTC)
      deadline  6 h 00 min after its start
      priority  normal
      created   2026-11-21 20:44 UTC
      runs      run_1 2026-11-21 09:00 UTC completed
    "
  `);
});

test('list tells the audience, how far the newest run is, and when', async () => {
  const long = 'n'.repeat(150);
  const ran = { ...campaign, id: 'cmp_2', name: long, state: 'running', links: { latestRun: '/v1/runs/run_1' } };
  api.answers['GET /v1/campaigns?limit=20'] = ok({ items: [scheduled, ran, campaign], next: null });
  const audience = { estimated: 200, counted: 100, excluded: 0, complete: false };
  api.answers['GET /v1/runs/run_1/progress'] = ok(progressOf({ audience, steps: [lineOf({ succeeded: 50 })] }));

  const { out } = await muster(['campaign', 'list'], { terminal: { outColumns: 100 } });

  expect(`\n${out}`).toMatchInlineSnapshot(`
    "
     id    name                               state     countries audience done when
     cmp_1 Lapsed riders                      scheduled SG ID                   due 2127-01-15 01:00 UTC
     cmp_2 nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn… running   SG ID          200 25 % 2026-11-21 09:00 UTC
     cmp_1 Lapsed riders                      draft     SG ID
    "
  `);
  expect(out.split('\n').filter((line) => line.length > 100)).toEqual([]);
});

describe('watch', () => {
  test('of a scheduled campaign says when it is due, in its zone', async () => {
    api.answers['GET /v1/campaigns/cmp_1'] = ok(scheduled);
    api.answers['GET /v1/runs?campaignId=cmp_1&limit=1'] = ok({ items: [] });
    const interrupt = new AbortController();
    const said: string[] = [];
    const note = (text: string) => {
      said.push(text);
      interrupt.abort();
    };

    const { code } = await muster(['campaign', 'watch', 'cmp_1'], { terminal: { note }, interrupt: interrupt.signal });

    expect(said[0]).toMatch(/^due 2127-01-15 09:00 Asia\/Singapore, in [\d,]+ d \d+ h\n$/);
    expect(code).toBe(exitCodes.interrupted);
  });

  test('that is left says that the run goes on and how to watch it again, and ends with 130', async () => {
    api.answers['GET /v1/runs/run_1/progress'] = ok(progressOf({ state: 'running' }));
    const interrupt = new AbortController();
    setTimeout(() => interrupt.abort(), 0);

    const { code, notes } = await muster(['campaign', 'watch', 'run_1'], { interrupt: interrupt.signal });

    expect(code).toBe(130);
    expect(notes).toContain('run_1 goes on; to watch it again: muster campaign watch run_1');
  });

  test('ends with where report and failures are', async () => {
    api.answers['GET /v1/runs/run_1/progress'] = ok(progressOf({ state: 'completed' }));
    expect((await muster(['campaign', 'watch', 'run_1'])).notes).toContain(
      'report: muster campaign report run_1\nfailures: muster campaign failures run_1\n',
    );
  });
});

describe('a campaign without a run', () => {
  test.each(['report', 'failures'])('has no %s, and that is no wrong option', async (command) => {
    api.answers['GET /v1/campaigns/cmp_1'] = ok(campaign);
    api.answers['GET /v1/runs?campaignId=cmp_1&limit=1'] = ok({ items: [] });
    const { code, notes } = await muster(['campaign', command, 'cmp_1']);
    expect({ code, notes }).toEqual({ code: exitCodes.failure, notes: 'cmp_1 has no run yet: it is not started\n' });
  });

  test.each(['report', 'failures', 'runs', 'watch', 'start'])('that there is not is refused by %s', async (command) => {
    api.answers['GET /v1/runs?campaignId=cmp_9&limit=1'] = ok({ items: [] });
    const { code, notes } = await muster(['campaign', command, 'cmp_9']);
    expect(code).toBe(exitCodes.refused);
    expect(notes).toContain('there is no such thing');
  });
});

test('runs lists the runs of a campaign with their ids', async () => {
  api.answers['GET /v1/campaigns/cmp_1'] = ok(campaign);
  api.answers['GET /v1/runs?campaignId=cmp_1&limit=20'] = ok({ items: [summary], next: null });
  expect((await muster(['campaign', 'runs', 'cmp_1'])).out).toContain('run_1');
});

describe('failures', () => {
  const failure = {
    userId: '=x',
    step: 1,
    country: 'SG',
    outcome: 'failed',
    reason: 'blocked',
    detail: null,
    attempts: 1,
    batchNo: 1,
    failedAt: '2026-11-21T20:44:20.000Z',
  };

  test('are a table of the first ones for people', async () => {
    const path = '/v1/runs/run_1/failures?step=1&country=SG&reason=blocked&limit=100';
    api.answers[`GET ${path}`] = ok({ items: [failure], next: 'x' });

    const { out, notes } = await muster([
      'campaign',
      'failures',
      'run_1',
      '--step',
      '1',
      '--country',
      'SG',
      '--reason',
      'blocked',
    ]);

    expect(out).toContain('=x');
    expect(notes).toBe('more: --limit 1000, or all with --csv\n');
  });

  test.each([
    ['--csv', '/v1/runs/run_1/failures', 'text/csv'],
    ['--csv --raw --excel', '/v1/runs/run_1/failures?raw=true&for=excel', 'text/csv'],
    ['--ndjson', '/v1/runs/run_1/failures', 'application/x-ndjson'],
  ])('with %s are written as they come', async (options, path, accept) => {
    api.answers[`GET ${path}`] = ok('\ufeffuserId,step\r\né,1\r\n');

    const { out } = await muster(['campaign', 'failures', 'run_1', ...options.split(' ')]);

    expect(out).toBe('\ufeffuserId,step\r\né,1\r\n');
    expect(api.requests[0]?.headers.accept).toBe(accept);
  });

  test.each([['--csv', '--ndjson'], ['--raw'], ['--ndjson', '--excel']])(
    'with %s %s are a usage error',
    async (...options) => {
      expect((await muster(['campaign', 'failures', 'run_1', ...options])).code).toBe(exitCodes.usage);
    },
  );
});

describe('the address and the key', () => {
  test.each([
    ['localhost:8080', 'did you mean http://localhost:8080?'],
    ['ftp://muster', 'did you mean http://muster?'],
    ['http://me:geheim@muster', 'must not hold a user'],
  ])('MUSTER_API_URL=%s is explained', async (url, told) => {
    environment['MUSTER_API_URL'] = url;
    const { code, notes } = await muster(['campaign', 'list']);
    expect(code).toBe(exitCodes.usage);
    expect(notes).toContain(told);
    expect(notes).not.toContain('geheim');
  });

  test('another server is not taken for Muster', async () => {
    const body = { error: 'Not Found', message: 'Cannot GET /v1/campaigns' };
    api.answers['GET /v1/campaigns?limit=20'] = { status: 404, body };
    const { code, notes } = await muster(['campaign', 'list']);
    expect(code).toBe(exitCodes.failure);
    expect(notes).toContain('answers, but not as Muster does (404');
    expect(notes).toContain('is MUSTER_API_URL right?');
  });

  test('TLS to a server without it is explained', async () => {
    environment['MUSTER_API_URL'] = api.url.replace('http:', 'https:');
    expect((await muster(['campaign', 'list'])).notes).toContain(`it speaks no TLS; did you mean ${api.url}?`);
  });

  test.each(['geheim\nwort', 'geheim wort', 'gehéim', `geheim${'x'.repeat(600)}`])(
    'a key that is none, %j, is never repeated',
    async (key) => {
      environment['MUSTER_API_KEY'] = key;
      const { code, notes } = await muster(['campaign', 'list']);
      expect(code).toBe(exitCodes.usage);
      expect(notes).toContain('MUSTER_API_KEY is no key');
      expect(notes).not.toMatch(/geh/);
      expect(api.requests).toEqual([]);
    },
  );

  test('a refused key says who can make one', async () => {
    const body = { title: 'Unauthorized', status: 401, detail: 'the API key is not known' };
    api.answers['GET /v1/campaigns?limit=20'] = { status: 401, body };
    expect((await muster(['campaign', 'list'])).notes).toContain(
      'whoever runs Muster makes one with `muster api-key create <name>`',
    );
  });
});

test.each(['--version', '-V'])('%s is the version', async (option) => {
  expect(await muster([option])).toMatchObject({ code: exitCodes.ok, out: `${packageFacts.version}\n` });
});

test('a pace and a limit of failed users are part of what a campaign is', async () => {
  api.answers['POST /v1/campaigns'] = { status: 201, body: campaign };
  api.answers['GET /v1/campaigns/cmp_1'] = ok({ ...campaign, paceUsersPerSecond: 500, pauseAtFailedPercent: 5 });
  api.answers['GET /v1/runs?campaignId=cmp_1&limit=5'] = ok({ items: [], next: null });
  const options = ['--name', 'x', '--segment', 's', '--countries', 'SG', '--action', 'award-reward'];
  await muster(['campaign', 'create', ...options, '--pace', '500', '--pause-at-failed', '5']);
  expect(api.bodies).toMatchObject([{ paceUsersPerSecond: 500, pauseAtFailedPercent: 5 }]);
  const { out } = await muster(['campaign', 'show', 'cmp_1']);
  expect(out).toMatch(/pace +at most 500 users\/s\n/);
  expect(out).toMatch(/pauses +above 5 % failed users in a step\n/);
});

const controlled = {
  run: { ...summary, state: 'pausing' },
  inFlight: { batches: 12, users: 1200, steps: [{ step: 1, batches: 12, users: 1200 }] },
  waiting: 0,
  ready: 40,
  timeToStopMs: 12_000,
};

describe('pause, resume and cancel', () => {
  test('say what was under way, and how long it may take', async () => {
    api.answers['POST /v1/runs/run_1/pause'] = ok(controlled);
    const { code, out } = await muster(['run', 'pause', 'run_1', '--reason', 'wrong reward']);
    expect(code).toBe(exitCodes.ok);
    expect(out).toBe('run_1 pausing; 12 calls were under way (1,200 users), they end within 12 s\n');
    expect(api.bodies).toEqual([{ reason: 'wrong reward' }]);
  });

  test('of a campaign mean its newest run', async () => {
    api.answers['GET /v1/runs?campaignId=cmp_1&limit=1'] = ok({ items: [{ runId: 'run_1' }] });
    const nothing = { batches: 0, users: 0, steps: [] };
    api.answers['POST /v1/runs/run_1/resume'] = ok({ ...controlled, run: { ...controlled.run, state: 'running' } });
    const paused = { ...controlled, inFlight: nothing, run: { ...controlled.run, state: 'paused' } };
    api.answers['POST /v1/runs/run_1/pause'] = ok(paused);
    expect((await muster(['campaign', 'resume', 'cmp_1'])).out).toBe('run_1 running\n');
    expect((await muster(['campaign', 'pause', 'cmp_1'])).out).toBe('run_1 paused; nothing was under way\n');
  });

  test('that the state forbids say why', async () => {
    const detail =
      'run_1 is completed and cannot be paused; a run can be while it is preparing, running, pausing or paused';
    const body = { title: 'Conflict', status: 409, detail, code: 'state-forbids' };
    api.answers['POST /v1/runs/run_1/pause'] = { status: 409, body };
    const { code, notes } = await muster(['run', 'pause', 'run_1']);
    expect(code).toBe(exitCodes.refused);
    expect(notes).toBe(`not paused: ${detail}\n`);
  });
});

describe('cancel', () => {
  const preview = {
    runId: 'run_1',
    state: 'running',
    notFedUsers: 20_000,
    notStartedUsers: 80_000,
    halfWayUsers: 1200,
    finishingUsers: 100,
    endedUsers: 23_700,
  };

  beforeEach(() => {
    api.answers['GET /v1/runs/run_1/cancel-preview'] = ok(preview);
    api.answers['POST /v1/runs/run_1/cancel'] = ok({ ...controlled, run: { ...controlled.run, state: 'cancelling' } });
  });

  test('asks a person first, and says what would become of whom', async () => {
    const { code, notes } = await muster(['run', 'cancel', 'run_1'], { typed: 'n\n' });
    expect(code).toBe(exitCodes.failure);
    expect(notes).toBe(
      '100,000 users not begun get nothing; 1,200 users under way stop after their present step; 100 users finish; ' +
        '23,700 users are through. There is no way back. Cancel run_1? y/N\nnot cancelled\n',
    );
    expect(api.requests.map(({ line }) => line)).toEqual(['GET /v1/runs/run_1/cancel-preview']);
  });

  test('does as it was told after a yes, with --yes, and where nobody can answer', async () => {
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

  test('takes a campaign back that is only scheduled', async () => {
    api.answers['GET /v1/campaigns/cmp_1'] = ok(scheduled);
    api.answers['POST /v1/campaigns/cmp_1/unschedule'] = ok(campaign);
    expect((await muster(['campaign', 'cancel', 'cmp_1'])).out).toBe('cmp_1 is a draft again; nothing had begun\n');
  });
});

describe('run set', () => {
  test('sends what was named, and shows how the run goes now', async () => {
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

  test('of nothing, or of what is no number, is a mistake', async () => {
    expect((await muster(['run', 'set', 'run_1'])).code).toBe(exitCodes.usage);
    expect((await muster(['run', 'set', 'run_1', '--pace', 'fast'])).code).toBe(exitCodes.usage);
  });
});

describe('run events', () => {
  test('tell what became of a run, line by line', async () => {
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
});

describe('audit', () => {
  test('tells who changed what, and asks for what was wanted', async () => {
    const item = {
      id: 'chg_1',
      at: '2026-11-21T09:00:05.000Z',
      keyId: 'key_1',
      keyName: 'the night shift',
      method: 'POST',
      route: '/v1/runs/:id/pause',
      subject: 'run_1',
      status: 200,
      requestId: 'req-1',
      detail: { reason: 'wrong reward' },
    };
    api.answers['GET /v1/audit?limit=50&subject=run_1'] = ok({ items: [item], next: 'chg_1' });
    const { out, notes } = await muster(['audit', '--subject', 'run_1']);
    expect(out).toMatch(/the night shift +POST \/v1\/runs\/:id\/pause +run_1 +200 +reason wrong reward/);
    expect(notes).toBe('more: --cursor chg_1\n');
  });
});

describe('dead letters', () => {
  const letter = {
    ...{ id: 'dlt_1', topic: 'muster.award-reward.SG', partition: 3, offset: 7, reason: 'not JSON', state: 'kept' },
    ...{ replays: 0, bytes: 7, createdAt: '2026-11-22T01:02:03.000Z', settledAt: null },
  };

  test('are listed by topic and reason, and one by one on demand', async () => {
    const group = {
      topic: letter.topic,
      reason: 'not JSON',
      letters: 1200,
      firstAt: letter.createdAt,
      lastAt: letter.createdAt,
    };
    api.answers['GET /v1/dead-letters/groups?topic=muster.award-reward.SG'] = ok({ items: [group], next: null });
    const grouped = await muster(['dead-letters', 'list', '--topic', letter.topic]);
    expect(grouped.out).toContain('1,200');
    expect(grouped.out).toContain('not JSON');
    api.answers['GET /v1/dead-letters?state=kept&limit=50'] = ok({ items: [letter], next: 'dlt_1' });
    const { out, notes } = await muster(['dead-letters', 'list', '--letters', '--state', 'kept']);
    expect(out).toContain('dlt_1');
    expect(notes).toBe('more: --cursor dlt_1\n');
    api.answers['GET /v1/dead-letters/groups'] = ok({ items: [], next: null });
    expect((await muster(['dead-letters', 'list'])).out).toBe('no dead letters\n');
  });

  test('are shown with their bytes', async () => {
    const value = { encoding: 'text', content: 'no JSON' };
    api.answers['GET /v1/dead-letters/dlt_1'] = ok({ ...letter, replays: 1, key: null, value, cut: false });
    expect((await muster(['dead-letters', 'show', 'dlt_1'])).out).toBe(
      'dlt_1 kept, published again once\nmuster.award-reward.SG, partition 3, offset 7, 2026-11-22 01:02 UTC\nnot JSON\n\n(text, 7 bytes)\nno JSON\n',
    );
  });

  test('are replayed and discarded by id, by filter or all', async () => {
    api.answers['POST /v1/dead-letters/dlt_1/replay'] = ok({ ...letter, state: 'replaying' });
    expect((await muster(['dead-letters', 'replay', 'dlt_1'])).out).toBe('dlt_1 replaying\n');
    api.answers['POST /v1/dead-letters/replay'] = ok({ letters: 1 });
    const replayed = await muster(['dead-letters', 'replay', '--reason', 'not JSON']);
    expect(replayed.out).toBe('1 letter is to be published again\n');
    api.answers['POST /v1/dead-letters/discard'] = ok({ letters: 1200 });
    expect((await muster(['dead-letters', 'discard', '--all'])).out).toBe('1,200 letters are discarded\n');
    expect(api.bodies.slice(1)).toEqual([{ reason: 'not JSON' }, {}]);
    expect((await muster(['dead-letters', 'discard'])).code).toBe(exitCodes.usage);
  });
});
