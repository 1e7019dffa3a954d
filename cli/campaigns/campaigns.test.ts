import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../frame/exit-codes.ts';
import { lineOf, progressOf, reportOf } from '../runs/sample-run.ts';
import { campaign, scheduled } from './sample-campaign.ts';
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

describe('muster campaign create', () => {
  const options = ['--name', 'x', '--segment', 's', '--countries', 'SG', '--action', 'award-reward'];

  test('prints the start time of a draft in its zone and in UTC', async () => {
    api.answers['POST /v1/campaigns'] = { status: 201, body: { ...scheduled, state: 'draft', nextRunAt: null } };
    expect((await muster(['campaign', 'create', ...options])).notes).toBe(
      'a draft; once started it waits until 2127-01-15 09:00 Asia/Singapore (2127-01-15 01:00 UTC): muster campaign start cmp_1\n',
    );
  });

  test('prints the pointers of problems in a definition from a file, and no pointer for a problem of the whole body', async () => {
    const errors = [
      { pointer: '', detail: 'has to be an object' },
      { pointer: '/chain/0', detail: 'is odd' },
    ];
    const body = { title: 'Unprocessable Entity', status: 422, detail: 'the request has problems', errors };
    api.answers['POST /v1/campaigns'] = { status: 422, body };
    const { code, notes } = await muster(['campaign', 'create', '-f', '-'], { piped: '[]' });
    expect(code).toBe(exitCodes.refused);
    expect(notes).toBe('not created:\n  has to be an object\n  /chain/0  is odd\n');
  });

  test('repeats the request under the same idempotency key while the database is down, and reports the wait', async () => {
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

describe('muster campaign budget', () => {
  const sg = { country: 'SG', units: 1000, used: 940, reserved: 60, left: 0, money: null, waitingBatches: 2 };

  test('prints the used, reserved and remaining units of each country', async () => {
    api.answers['GET /v1/campaigns/cmp_1/budgets'] = ok({ items: [sg] });
    const { code, out } = await muster(['campaign', 'budget', 'cmp_1']);
    expect(code).toBe(exitCodes.ok);
    expect(out).toContain('budget');
    expect(out.split('\n').some((line) => /SG +1,000 +940 +60 +0 +2/.test(line))).toBe(true);
  });

  test('prints and changes a monetary budget in its currency', async () => {
    const money = { currency: 'EUR', amount: '5000.00', used: '1234.50', reserved: '0.00', left: '3765.50' };
    const inMoney = { ...sg, units: null, used: null, reserved: null, left: null, money };
    api.answers['PATCH /v1/campaigns/cmp_1/budgets'] = ok({ items: [inMoney] });
    const { out } = await muster(['campaign', 'budget', 'cmp_1', 'SG=5000.00EUR']);
    expect(api.bodies).toEqual([{ budgets: [{ country: 'SG', amount: '5000.00', currency: 'EUR' }] }]);
    expect(out).toMatch(/SG +5,000.00 EUR +1,234.50 EUR +0.00 EUR +3,765.50 EUR +2/);
    expect((await muster(['campaign', 'budget', 'cmp_1', 'SG=1.5'])).notes).toContain('SG=5000EUR, not SG=1.5');
  });

  test('changes the units of a country', async () => {
    api.answers['PATCH /v1/campaigns/cmp_1/budgets'] = ok({ items: [{ ...sg, units: 2000, left: 1000 }] });
    const { out } = await muster(['campaign', 'budget', 'cmp_1', 'SG=2000']);
    expect(api.bodies).toEqual([{ budgets: [{ country: 'SG', units: 2000 }] }]);
    expect(out).toContain('2,000');
  });

  test('reports that a campaign without budgets has no limit', async () => {
    api.answers['GET /v1/campaigns/cmp_1/budgets'] = ok({ items: [] });
    expect((await muster(['campaign', 'budget', 'cmp_1'])).out).toBe('no budgets: nothing is limited\n');
  });
});

describe('muster campaign start', () => {
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
  ])('asks for confirmation and starts only after yes: answer %j', async (typed, goes) => {
    const { code, notes } = await muster(['campaign', 'start', 'cmp_1'], { typed });

    expect(notes).toContain(
      'all users of lapsed-riders in SG, ID get award-reward, then send-message; starts at once. Go? y/N',
    );
    expect(started()).toBe(goes);
    expect(code).toBe(goes ? exitCodes.ok : exitCodes.failure);
  });

  test('with a canary prints the canary before the confirmation and sends it to the API', async () => {
    const { notes } = await muster(['campaign', 'start', 'cmp_1', '--canary', '5%', '--canary-max-failed', '2'], {
      typed: 'y\n',
    });
    expect(notes).toContain(
      'starts at once; the first 5 % of each country, then a pause where more than 2 % of them failed. Go?',
    );
    expect(api.bodies).toEqual([{ canary: { percent: 5, maxFailedPercent: 2 } }]);
  });

  test('names the option of a canary that the API refused', async () => {
    const errors = [{ pointer: '/canary', code: 'canary-in-definition', detail: 'the definition has a canary' }];
    const body = { title: 'Unprocessable Entity', status: 422, detail: 'the request has problems', errors };
    api.answers['POST /v1/campaigns/cmp_1/start'] = { status: 422, body };
    const { notes } = await muster(['campaign', 'start', 'cmp_1', '--canary', '100']);
    expect(notes).toContain('--canary  the definition has a canary');
  });

  test('starts without confirmation if no terminal is attached or with --yes', async () => {
    expect((await muster(['campaign', 'start', 'cmp_1'])).notes).toBe('');
    expect((await muster(['campaign', 'start', 'cmp_1', '--yes'], { typed: '' })).out).toBe(
      'cmp_1 scheduled, due 2127-01-15 09:00 Asia/Singapore (2127-01-15 01:00 UTC)\n',
    );
  });
});

test('muster campaign show prints the whole campaign and its runs', async () => {
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

test('muster campaign list prints audience, users done and time of each campaign', async () => {
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

describe('a draft campaign', () => {
  const options = ['--name', 'x', '--segment', 's', '--countries', 'SG', '--action', 'award-reward'];

  test('gets a new revision from muster campaign change, and the command prints the revision', async () => {
    api.answers['PATCH /v1/campaigns/cmp_1'] = ok({ ...campaign, revision: 2 });
    const { out } = await muster(['campaign', 'change', 'cmp_1', ...options]);
    expect(out).toBe('cmp_1 draft, revision 2\n');
    expect(api.bodies).toMatchObject([{ name: 'x', countries: ['SG'] }]);
  });

  test('can be estimated from options before its creation, and problems name the option that caused them', async () => {
    const users = { atLeast: 90, atMost: 100 };
    const countries = [{ country: 'SG', include: [{ source: { segment: 's' }, users: 100 }], exclude: [], users }];
    const problems = [{ pointer: '/chain/0/action', detail: '"award-yacht" is not configured' }];
    const takesSeconds = { atLeast: 90, atMost: null };
    const warnings: unknown[] = [];
    const cost = {
      currency: 'SGD',
      atLeast: { units: 180, amount: '9.00' },
      atMost: { units: 200, amount: '10.00' },
    };
    const variants = [
      { name: 'A', weight: 9000, users: { atLeast: 81, atMost: 90 } },
      { name: 'B', weight: 1000, users: { atLeast: 9, atMost: 10 } },
    ];
    const known = { countries, holdOutPercent: 0, variants, warnings, problems, takesSeconds, cost };
    api.answers['POST /v1/campaigns/preview'] = ok(known);

    const { out, code } = await muster(['campaign', 'preview', ...options]);

    expect(code).toBe(exitCodes.refused);
    expect(`\n${out}`).toMatchInlineSnapshot(`
      "
        country   who             users
        SG        segment s         100
        SG        audience    90 to 100
        variants: A 90 %, about 81 to 90 · B 10 %, about 9 to 10
        costs 180 units, SGD 9.00 to 200 units, SGD 10.00
        takes about 1 min 30 s or more
        x --action 1 "award-yacht" is not configured
      "
    `);
  });
});

describe('the description, owner, tags and metadata of a campaign', () => {
  const about = { description: 'Brings riders back', owner: 'growth', tags: ['payday'], metadata: { ticket: 'M-1' } };

  test('are sent by create and printed by show', async () => {
    api.answers['POST /v1/campaigns'] = { status: 201, body: campaign };
    const options = ['--name', 'x', '--segment', 's', '--countries', 'SG', '--action', 'award-reward'];
    const description = ['--description', 'Brings riders back', '--owner', 'growth', '--tag', 'payday', '--metadata'];
    await muster(['campaign', 'create', ...options, ...description, 'ticket=M-1']);
    expect(api.bodies).toMatchObject([about]);

    api.answers['GET /v1/campaigns/cmp_1'] = ok({ ...campaign, ...about });
    api.answers['GET /v1/runs?campaignId=cmp_1&limit=5'] = ok({ items: [], next: null });
    const { out } = await muster(['campaign', 'show', 'cmp_1']);
    expect(out).toMatch(/about +Brings riders back\n +owner +growth\n +tags +payday\n +metadata +ticket=M-1\n/);
  });

  test('are changed by muster campaign describe, and an empty value removes a field', async () => {
    api.answers['PATCH /v1/campaigns/cmp_1'] = ok({ ...campaign, owner: 'riders', tags: ['a', 'b'] });
    const change = ['--owner', 'riders', '--tag', 'a', '--tag', 'b', '--metadata', '', '--description', ''];
    const { out } = await muster(['campaign', 'describe', 'cmp_1', ...change]);
    expect(out).toBe('cmp_1 · owner riders · #a · #b\n');
    expect(api.bodies).toEqual([{ owner: 'riders', tags: ['a', 'b'], metadata: null, description: null }]);
  });

  test.each([[[]], [['--metadata', 'ticket']]])(
    'are rejected by muster campaign describe without a request if the options are %j',
    async (options) => {
      expect((await muster(['campaign', 'describe', 'cmp_1', ...options])).code).toBe(exitCodes.usage);
      expect(api.requests).toEqual([]);
    },
  );

  test('filter muster campaign list', async () => {
    api.answers['GET /v1/campaigns?limit=20&tag=payday&owner=growth'] = ok({ items: [], next: null });
    await muster(['campaign', 'list', '--tag', 'payday', '--owner', 'growth']);
    expect(api.requests.map(({ line }) => line)).toEqual(['GET /v1/campaigns?limit=20&tag=payday&owner=growth']);
  });
});

describe('muster campaign watch', () => {
  test('prints when a scheduled campaign is due, in the zone of the campaign', async () => {
    api.answers['GET /v1/campaigns/cmp_1'] = ok(scheduled);
    api.answers['GET /v1/runs?campaignId=cmp_1&limit=1'] = ok({ items: [] });
    const interrupt = new AbortController();
    const printed: string[] = [];
    const note = (text: string) => {
      printed.push(text);
      interrupt.abort();
    };

    const { code } = await muster(['campaign', 'watch', 'cmp_1'], { terminal: { note }, interrupt: interrupt.signal });

    expect(printed[0]).toMatch(/^due 2127-01-15 09:00 Asia\/Singapore, in [\d,]+ d \d+ h\n$/);
    expect(code).toBe(exitCodes.interrupted);
  });

  test('prints after an interrupt that the run continues and how to watch it again, and exits with 130', async () => {
    api.answers['GET /v1/runs/run_1/progress'] = ok(progressOf({ state: 'running' }));
    const interrupt = new AbortController();
    setTimeout(() => interrupt.abort(), 0);

    const { code, notes } = await muster(['campaign', 'watch', 'run_1'], { interrupt: interrupt.signal });

    expect(code).toBe(130);
    expect(notes).toContain('run_1 goes on; to watch it again: muster campaign watch run_1');
  });

  test('ends with the commands for the report and the failures', async () => {
    api.answers['GET /v1/runs/run_1/progress'] = ok(progressOf({ state: 'completed' }));
    expect((await muster(['campaign', 'watch', 'run_1'])).notes).toContain(
      'report: muster campaign report run_1\nfailures: muster campaign failures run_1\n',
    );
  });
});

describe('a campaign without a run or an unknown campaign id', () => {
  test.each(['report', 'failures'])(
    'makes muster campaign %s fail with a message instead of a usage error',
    async (command) => {
      api.answers['GET /v1/campaigns/cmp_1'] = ok(campaign);
      api.answers['GET /v1/runs?campaignId=cmp_1&limit=1'] = ok({ items: [] });
      const { code, notes } = await muster(['campaign', command, 'cmp_1']);
      expect({ code, notes }).toEqual({ code: exitCodes.failure, notes: 'cmp_1 has no run yet: it is not started\n' });
    },
  );

  test.each(['report', 'failures', 'runs', 'watch', 'start'])(
    'makes muster campaign %s exit as refused if the campaign does not exist',
    async (command) => {
      api.answers['GET /v1/runs?campaignId=cmp_9&limit=1'] = ok({ items: [] });
      const { code, notes } = await muster(['campaign', command, 'cmp_9']);
      expect(code).toBe(exitCodes.refused);
      expect(notes).toContain('there is no such thing');
    },
  );
});

test('muster campaign runs prints the runs of a campaign with their ids', async () => {
  api.answers['GET /v1/campaigns/cmp_1'] = ok(campaign);
  api.answers['GET /v1/runs?campaignId=cmp_1&limit=20&kind=live'] = ok({ items: [summary], next: null });
  expect((await muster(['campaign', 'runs', 'cmp_1'])).out).toContain('run_1');
});

describe('muster campaign failures', () => {
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

  test('prints the first failures as a table', async () => {
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
  ])('prints the response of the API unchanged with %s', async (options, path, accept) => {
    api.answers[`GET ${path}`] = ok('\ufeffuserId,step\r\né,1\r\n');

    const { out } = await muster(['campaign', 'failures', 'run_1', ...options.split(' ')]);

    expect(out).toBe('\ufeffuserId,step\r\né,1\r\n');
    expect(api.requests[0]?.headers.accept).toBe(accept);
  });

  test.each([['--csv', '--ndjson'], ['--raw'], ['--ndjson', '--excel']])(
    'fails with a usage error for %s %s',
    async (...options) => {
      expect((await muster(['campaign', 'failures', 'run_1', ...options])).code).toBe(exitCodes.usage);
    },
  );
});

test('muster campaign create sends, and show prints, the pace and the limit of failed users', async () => {
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
