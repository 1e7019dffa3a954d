import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exitCodes } from '../frame/exit-codes.ts';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { runMuster } from '../test-muster.ts';

const done = {
  settlementId: 'set_1',
  runId: 'run_1',
  by: 'file',
  state: 'done',
  cause: null,
  step: null,
  country: null,
  settled: { succeeded: 1200, failed: 3 },
  leftUnknown: 0,
  rejected: 0,
  rejects: [],
  requestedBy: { keyId: 'key_1', name: 'ops' },
  createdAt: '2026-11-22T04:00:00.000Z',
  endedAt: '2026-11-22T04:00:01.000Z',
};

let api: TestApi;
let folder: string;

beforeEach(async () => {
  api = await startTestApi();
  folder = mkdtempSync(join(tmpdir(), 'muster-settle-'));
});

afterEach(() => {
  api.stop();
  rmSync(folder, { recursive: true });
});

const muster = (...args: string[]) => runMuster(['run', ...args], { api });

describe('muster run settle', () => {
  it('--user sends the outcome of one user', async () => {
    api.answers['POST /v1/runs/run_1/settle'] = { status: 200, body: { ...done, by: 'hand' } };
    const { code } = await muster(
      ...['settle', 'run_1', '--user', 'u 1', '--step', '2', '--outcome', 'failed', '--code', 'x'],
    );
    expect(code).toBe(exitCodes.ok);
    expect(api.bodies).toEqual([{ by: 'hand', userId: 'u 1', step: 2, outcome: 'failed', code: 'x' }]);
  });

  it('--file sends the file unchanged and prints the rejected lines', async () => {
    const rejects = [{ line: 3, userId: 'u9', rule: 'not-unknown' }];
    api.answers['POST /v1/runs/run_1/settle'] = { status: 200, body: { ...done, rejected: 1, rejects } };
    const path = join(folder, 'settled.ndjson');
    const lines = '{"userId":"u1","step":1,"outcome":"succeeded"}';
    writeFileSync(path, lines);
    const { code, out } = await muster('settle', 'run_1', '--file', path);
    expect(out).toBe('set_1 done: 1,200 succeeded, 3 failed, 1 rejected\n  line 3: not-unknown (u9)\n');
    expect(code).toBe(exitCodes.failure);
    expect(api.requests[0]?.headers['content-type']).toBe('application/x-ndjson');
    expect(api.bodies).toEqual([lines]);
  });

  it('--file --preview prints how the API would read the file, and settles no user', async () => {
    const path = join(folder, 'settled.csv');
    writeFileSync(path, 'userId,step,outcome\nu1,1,failed\nu2,one,failed\n');
    const detail = '1 of 2 rows are rejected';
    api.answers['POST /v1/user-files/preview?for=settlement'] = {
      status: 200,
      body: {
        format: 'plain',
        reading: null,
        rows: 2,
        users: 1,
        rejected: 1,
        usersElsewhere: 0,
        countries: [],
        columns: ['user', 'step', 'outcome'].map((use) => ({ name: use, use })),
        firstUsers: [{ line: 2, userId: 'u1', country: null }],
        outcomes: [{ step: 1, outcome: 'failed', users: 1 }],
        rejects: [{ line: 3, value: 'u2', rule: 'invalid-step', detail: 'the step is not a number from 1 to 20' }],
        refusal: { code: 'too-many-rejected', detail },
      },
    };
    const { code, out } = await muster('settle', 'run_1', '--file', path, '--preview');
    expect(code).toBe(exitCodes.refused);
    expect(out).toMatch(/outcomes +step 1 failed: 1\n/);
    expect(out).toMatch(/line 3: the step is not a number from 1 to 20 \(u2\)/);
    expect(out).toContain(detail);
    expect(api.requests.map(({ line }) => line)).toEqual(['POST /v1/user-files/preview?for=settlement']);
  });

  it('--accept-rejected sends the number of rejected lines that the user accepts', async () => {
    const path = join(folder, 'settled.csv');
    writeFileSync(path, 'u1,1,failed\nu2,one,failed\n');
    api.answers['POST /v1/runs/run_1/settle?acceptRejected=1'] = { status: 200, body: { ...done, rejected: 1 } };
    const { out } = await muster('settle', 'run_1', '--file', path, '--accept-rejected', '1');
    expect(out).toBe('set_1 done: 1,200 succeeded, 3 failed, 1 rejected\n');
  });

  it('--by-status starts a background settlement and prints the command that shows it', async () => {
    api.answers['POST /v1/runs/run_1/settle'] = { status: 202, body: { ...done, by: 'status', state: 'running' } };
    const { out } = await muster('settle', 'run_1', '--by-status', '--step', '1');
    expect(out).toBe('set_1 goes on in the background: muster run settlements run_1\n');
    expect(api.bodies).toEqual([{ by: 'status', step: 1 }]);
  });

  it.each<[string, string[], string]>([
    ['a command without a method', [], 'give one of --by-status, --file and --user'],
    ['a preview without a file', ['--by-status', '--preview'], '--preview goes with --file'],
    ['two methods', ['--by-status', '--user', 'u'], 'give one of'],
    ['a user without a step', ['--user', 'u', '--outcome', 'failed'], 'goes with --step and --outcome'],
    ['a file that does not exist', ['--file', '/nowhere.csv'], 'cannot read /nowhere.csv'],
  ])('rejects %s', async (_name, args, message) => {
    const { code, notes } = await muster('settle', 'run_1', ...args);
    expect(code).toBe(exitCodes.usage);
    expect(notes).toContain(message);
  });
});

describe('muster run unknown', () => {
  it('requests only failures with the outcome unknown', async () => {
    const line = 'GET /v1/runs/run_1/failures?outcome=unknown&limit=100';
    api.answers[line] = { status: 200, body: { items: [], next: null } };
    expect((await muster('unknown', 'run_1')).code).toBe(exitCodes.ok);
    expect(api.requests.map((request) => request.line)).toEqual([line]);
  });
});

describe('muster run settlements', () => {
  it('prints who settled which users', async () => {
    api.answers['GET /v1/runs/run_1/settlements'] = { status: 200, body: { items: [done], next: null } };
    const { out } = await muster('settlements', 'run_1');
    expect(out).toContain('file, ops');
    expect(out).toContain('1,200 succeeded, 3 failed');
  });
});
