import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { campaign as draft } from './campaigns/sample-campaign.ts';
import { exitCodes } from './frame/exit-codes.ts';
import { findCommandFiles } from './frame/found-commands.ts';
import { headings } from './frame/headings.ts';
import { runProgram } from './program.ts';
import { progressOf, reportOf } from './runs/sample-run.ts';
import { startTestApi, type TestApi } from './api/test-api.ts';
import { createTestTerminal } from './frame/test-terminal.ts';

const campaign = { ...draft, state: 'scheduled' };

let api: TestApi;
let environment: NodeJS.ProcessEnv;
let answers: TestApi['answers'];
let bodies: TestApi['bodies'];

beforeEach(async () => {
  api = await startTestApi();
  ({ answers, bodies } = api);
  environment = { MUSTER_API_URL: `${api.url}/`, MUSTER_API_KEY: 'key' };
});

afterEach(() => api.stop());

async function muster(...args: string[]) {
  const terminal = createTestTerminal();
  const onInterrupt = () => new AbortController().signal;
  const code = await runProgram(args, { terminal, environment, input: Readable.from([]), onInterrupt });
  return { code, ...terminal.written };
}

describe('muster campaign', () => {
  test('create posts the definition and prints only the id on stdout', async () => {
    answers['POST /v1/campaigns'] = { status: 201, body: campaign };
    const options = ['--name', 'x', '--segment', 's', '--countries', 'SG', '--action', 'award-reward={"units":2}'];

    const { code, out, notes } = await muster('campaign', 'create', ...options, '--action', 'send-message');

    expect({ code, out }).toEqual({ code: exitCodes.ok, out: 'cmp_1\n' });
    expect(notes).toBe('a draft; to start it now: muster campaign start cmp_1\n');
    expect(bodies).toMatchObject([
      { chain: [{ action: 'award-reward', params: { units: 2 } }, { action: 'send-message' }] },
    ]);
  });

  test('create prints refused fields under the options that set them, and exits with 3', async () => {
    const errors = [
      { pointer: '/countries/0', detail: '"XX" is not configured' },
      { pointer: '/chain/0/action', detail: 'no action type "fly"' },
    ];
    const body = { title: 'The campaign is not valid', status: 422, detail: '2 fields are wrong', errors };
    answers['POST /v1/campaigns'] = { status: 422, body };

    const { code, out, notes } = await muster(
      ...['campaign', 'create', '--name', 'x', '--segment', 's', '--countries', 'XX', '--action', 'fly'],
    );

    expect(code).toBe(exitCodes.refused);
    expect(out).toBe('');
    expect(notes).toBe(
      'not created: 2 fields are wrong\n' +
        '  --countries  "XX" is not configured\n' +
        '  --action 1  no action type "fly"\n',
    );
  });

  test('list prints a table, and the response of the API with --json', async () => {
    const page = { items: [campaign], next: null };
    answers['GET /v1/campaigns?limit=20'] = { status: 200, body: page };
    expect((await muster('campaign', 'list')).out).toContain('cmp_1');
    expect(JSON.parse((await muster('campaign', 'list', '--json')).out)).toEqual(page);
    expect(JSON.parse((await muster('--json', 'campaign', 'list')).out)).toEqual(page);
  });

  test('watch follows the run of a campaign and exits with 0 even if users failed', async () => {
    answers['GET /v1/campaigns/cmp_1'] = { status: 200, body: campaign };
    answers['GET /v1/runs?campaignId=cmp_1&limit=1'] = { status: 200, body: { items: [{ runId: 'run_1' }] } };
    answers['GET /v1/runs/run_1/progress'] = { status: 200, body: progressOf({ state: 'completed_with_failures' }) };
    const { code, out, notes } = await muster('campaign', 'watch', 'cmp_1');
    expect({ code, out }).toEqual({ code: exitCodes.ok, out: 'run_1 completed_with_failures\n' });
    expect(notes).toContain('award-reward 0 %');
  });

  test('watch exits with 5 if the run failed, and prints the reason', async () => {
    const progress = progressOf({ state: 'failed', stateReason: 'no such segment' });
    answers['GET /v1/runs/run_1/progress'] = { status: 200, body: progress };
    const { code, out } = await muster('campaign', 'watch', 'run_1');
    expect({ code, out }).toEqual({ code: exitCodes.runNotCompleted, out: 'run_1 failed: no such segment\n' });
  });

  test('watch of a draft prints how to start it instead of waiting', async () => {
    answers['GET /v1/campaigns/cmp_1'] = { status: 200, body: { ...campaign, state: 'draft' } };
    const { code, notes } = await muster('campaign', 'watch', 'cmp_1');
    expect(code).toBe(exitCodes.usage);
    expect(notes).toContain('muster campaign start cmp_1');
  });

  test('report prints the report', async () => {
    answers['GET /v1/runs/run_1/report'] = { status: 200, body: reportOf({}) };
    expect((await muster('campaign', 'report', 'run_1')).out).toContain('Lapsed riders');
  });

  test('explain prints every call of a user, and percent-encodes the user id', async () => {
    const attempts = [
      {
        attempt: 1,
        at: '2026-11-21T09:00:01.000Z',
        batchNo: 7,
        idempotencyKey: 'f-7-1',
        result: 'retryable',
        code: 'busy',
        message: 'later',
      },
      {
        attempt: 2,
        at: '2026-11-21T09:00:03.000Z',
        batchNo: 9,
        idempotencyKey: 'f-9-1',
        result: 'failed',
        code: 'out-of-stock',
        message: null,
      },
    ];
    const unended = { reason: null, detail: null, endedAt: null, waitsFor: null, nextAttemptAt: null, receipt: null };
    const explained = {
      runId: 'run_1',
      campaignId: 'cmp_1',
      userId: 'a/b',
      state: 'running',
      asOf: '2026-11-21T09:00:20.000Z',
      audience: { place: 'member', country: 'SG', detail: 'it was fed' },
      batches: [{ batchNo: 7, parent: null, fromStep: 1, users: 100 }],
      steps: [
        { step: 1, action: 'award-reward', outcome: 'failed', ...unended, reason: 'out-of-stock', attempts },
        { step: 2, action: 'send-message', outcome: 'skipped', ...unended, attempts: [] },
      ],
    };
    answers['GET /v1/runs/run_1/users/a%2Fb'] = { status: 200, body: explained };
    const { code, out } = await muster('explain', 'run_1', 'a/b');
    expect(code).toBe(exitCodes.ok);
    expect(out).toContain('1 award-reward: failed · out-of-stock');
    expect(out).toContain('2 send-message: skipped');
    expect(out).toMatch(/1 +1 +2026-11-21 09:00:01 UTC +7 +retryable +busy +later/);
    expect(JSON.parse((await muster('explain', 'run_1', 'a/b', '--json')).out)).toEqual(explained);
  });

  test('retry-failed prints a preview, and starts the retry run', async () => {
    const groups = [{ step: 1, action: 'award-reward', country: 'SG', reason: 'busy', users: 12 }];
    const answer = { preview: true, parentRunId: 'run_1', runId: null, users: 12, groups, links: { self: null } };
    const created = { ...answer, preview: false, runId: 'run_2', links: { self: '/v1/runs/run_2' } };
    answers['POST /v1/runs/run_1/retry-failed'] = [
      { status: 200, body: answer },
      { status: 201, body: created },
    ];
    const preview = await muster('campaign', 'retry-failed', 'run_1', '--preview', '--reason', 'busy', '--step', '1');
    expect(preview.out).toMatch(/1 award-reward +SG +busy +12/);
    const { code, out, notes } = await muster('campaign', 'retry-failed', 'run_1', '--country', 'SG', '--yes');
    expect({ code, out }).toEqual({ code: exitCodes.ok, out: 'run_2\n' });
    expect(notes).toContain('muster campaign watch run_2');
    expect(bodies).toEqual([{ reasons: ['busy'], steps: [1], preview: true }, { countries: ['SG'] }]);
  });

  test('show exits as refused if the id does not exist', async () => {
    const { code, notes } = await muster('campaign', 'show', 'cmp_9');
    expect({ code, notes }).toEqual({ code: exitCodes.refused, notes: 'Not Found: there is no such thing\n' });
  });
});

describe('the muster command', () => {
  test('exits with a failure if the API does not answer', async () => {
    environment['MUSTER_API_URL'] = 'http://127.0.0.1:1';
    const { code, notes } = await muster('campaign', 'list');
    expect(code).toBe(exitCodes.failure);
    expect(notes).toContain('nobody answers at http://127.0.0.1:1');
  });

  test.each([
    ['an unknown command', ['fly']],
    ['an unknown option', ['campaign', 'list', '--fast']],
    ['a limit of zero', ['campaign', 'list', '--limit', '0']],
    ['an unknown service', ['serve', 'console']],
    ['no definition', ['campaign', 'create']],
    ['a demo with no users', ['demo', '--users', '0']],
  ])('exits with a usage error for %s', async (_name, args) => {
    const { code, out, notes } = await muster(...args);
    expect(code).toBe(exitCodes.usage);
    expect(out).toBe('');
    expect(notes).not.toBe('');
  });

  test('names a missing environment variable', async () => {
    environment = {};
    const { code, notes } = await muster('campaign', 'list');
    expect(code).toBe(exitCodes.usage);
    expect(notes).toContain('MUSTER_API_KEY');
  });

  test('prints requested help on stdout', async () => {
    const { code, out } = await muster('--help');
    expect(code).toBe(exitCodes.ok);
    expect(out).toContain('campaign');
  });

  test('lists every command in its help under a heading, headings in order and commands by name', async () => {
    const { out } = await muster('--help');
    const listed = out.split(/^(?=[A-Z].*:$)/m).slice(2);
    expect(listed.map((group) => group.split(':')[0])).toEqual([...headings, 'Help']);
    const words = listed.slice(0, -1).map((group) => [...group.matchAll(/^ {2}([a-z-]+)/gm)].map(([, word]) => word));
    expect(words.flat().toSorted()).toEqual([...findCommandFiles().keys()].toSorted());
    for (const inGroup of words) expect(inGroup).toEqual(inGroup.toSorted());
  });
});
