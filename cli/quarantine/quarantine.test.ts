import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { quarantineKinds } from '../../shared/contracts/quarantine/items.ts';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { runMuster } from '../test-muster.ts';

let api: TestApi;
beforeEach(async () => {
  api = await startTestApi();
});
afterEach(() => api.stop());

const quarantine = (...args: string[]) => runMuster(['quarantine', ...args], { api });
const ok = (body: unknown) => ({ status: 200, body });
const at = '2026-11-22T04:00:00.000Z';
const kept = { state: 'kept', since: at, decidedAt: null };
const times = { firstAt: at, lastAt: at };

it.each(quarantineKinds)('muster quarantine list requests items of each kind in the API contract: %s', async (kind) => {
  api.answers[`GET /v1/quarantine/${kind}s?limit=50`] = ok({ items: [], next: null });
  expect((await quarantine('list', '--kind', kind)).out).toBe(`no quarantined ${kind}s\n`);
});

describe('quarantined messages', () => {
  const topic = 'muster.award-reward.SG';
  const message = {
    kind: 'message',
    id: 'dlt_1',
    reason: 'not JSON',
    ...kept,
    topic,
    partition: 3,
    offset: 7,
    replays: 0,
    bytes: 7,
  };

  it('are counted by topic and reason', async () => {
    const group = { kind: 'message', reason: 'not JSON', items: 1200, ...times, topic };
    api.answers[`GET /v1/quarantine/messages/groups?topic=${topic}`] = ok({ items: [group], next: null });
    const { out } = await quarantine('groups', '--kind', 'message', '--topic', topic);
    expect(out).toMatch(/1,200 +muster\.award-reward\.SG +not JSON/);
    api.answers['GET /v1/quarantine/messages/groups'] = ok({ items: [], next: null });
    expect((await quarantine('groups', '--kind', 'message')).out).toBe('no quarantined messages\n');
  });

  it('are listed one by one', async () => {
    api.answers['GET /v1/quarantine/messages?state=kept&limit=50'] = ok({ items: [message], next: 'dlt_1' });
    const { out, notes } = await quarantine('list', '--kind', 'message', '--state', 'kept');
    expect(out).toMatch(/dlt_1 +kept +muster\.award-reward\.SG +not JSON +7 +2026-11-22 04:00 UTC/);
    expect(notes).toBe('more: --cursor dlt_1\n');
  });

  it('are shown with their bytes', async () => {
    const value = { encoding: 'text', content: 'no JSON' };
    api.answers['GET /v1/quarantine/messages/dlt_1'] = ok({ ...message, replays: 1, key: null, value, cut: false });
    expect((await quarantine('show', 'dlt_1')).out).toBe(
      'dlt_1 kept, published again once\nmuster.award-reward.SG, partition 3, offset 7, 2026-11-22 04:00 UTC\nnot JSON\n\n(text, 7 bytes)\nno JSON\n',
    );
  });

  it('are replayed and discarded by id, by filter or all at once', async () => {
    api.answers['POST /v1/quarantine/messages/dlt_1/replay'] = ok({ kind: 'message', id: 'dlt_1', state: 'replaying' });
    expect((await quarantine('replay', 'dlt_1')).out).toBe('dlt_1 replaying\n');
    api.answers['POST /v1/quarantine/messages/replay'] = ok({ items: 1, expired: 0 });
    const replayed = await quarantine('replay', '--kind', 'message', '--reason', 'not JSON');
    expect(replayed.out).toBe('1 message replayed\n');
    api.answers['POST /v1/quarantine/messages/discard'] = ok({ items: 1200, expired: 0 });
    expect((await quarantine('discard', '--kind', 'message', '--all')).out).toBe('1,200 messages discarded\n');
    expect(api.bodies).toEqual([{ reason: 'not JSON' }, { all: true }]);
  });
});

describe('quarantined steps', () => {
  const step = {
    kind: 'step',
    id: 'qst_1',
    reason: 'its calls crashed their workers',
    ...kept,
    runId: 'run_1',
    runState: 'running',
    country: 'SG',
    batchNo: 7,
    step: 1,
    action: 'award-reward',
    users: 100,
    lapses: 6,
    worker: 'w-1',
    replayable: true,
    whyNot: null,
  };

  it('are listed by run, action type, country and state', async () => {
    const query = 'runId=run_1&action=award-reward&country=SG&state=kept';
    api.answers[`GET /v1/quarantine/steps?${query}&limit=50`] = ok({ items: [step], next: null });
    const filters = ['--run', 'run_1', '--action', 'award-reward', '--country', 'SG', '--state', 'kept'];
    const { out } = await quarantine('list', '--kind', 'step', ...filters);
    expect(out).toMatch(/qst_1 +kept +run_1 +SG +7 +1 award-reward +100 +6 +2026-11-22 04:00 UTC/);
    api.answers['GET /v1/quarantine/steps?limit=50'] = ok({ items: [], next: null });
    expect((await quarantine('list', '--kind', 'step')).out).toBe('no quarantined steps\n');
  });

  it('are counted by action type and country', async () => {
    const { kind, reason, action, country, users } = step;
    const group = { kind, reason, items: 2, ...times, action, country, users, runs: 1 };
    api.answers['GET /v1/quarantine/steps/groups?runId=run_1'] = ok({ items: [group], next: null });
    expect((await quarantine('groups', '--kind', 'step', '--run', 'run_1')).out).toMatch(/2 +award-reward +SG +100 +1/);
  });

  it('are shown with their key, their users and their calls', async () => {
    const calls = [{ at, worker: 'w-1', result: 'lost', cause: null }];
    const detail = { ...step, idempotencyKey: 'k-7-1', calls, sample: ['u1', 'u2'] };
    api.answers['GET /v1/quarantine/steps/qst_1'] = ok(detail);
    const { out } = await quarantine('show', 'qst_1');
    expect(out).toContain('key k-7-1');
    expect(out).toContain('100 users, such as u1  u2');
    expect(out).toContain('muster quarantine replay qst_1 opens it again');
    expect(out).toMatch(/2026-11-22 04:00:00 UTC +w-1 +lost/);
  });

  it('are replayed and discarded one by one, and a refusal is printed', async () => {
    api.answers['POST /v1/quarantine/steps/qst_1/replay'] = ok({ kind: 'step', id: 'qst_1', state: 'replayed' });
    expect((await quarantine('replay', 'qst_1')).out).toBe('qst_1 replayed\n');
    api.answers['POST /v1/quarantine/steps/qst_1/discard'] = ok({ kind: 'step', id: 'qst_1', state: 'discarded' });
    expect((await quarantine('discard', 'qst_1')).out).toBe('qst_1 discarded\n');
    const body = { title: 'Conflict', status: 409, code: 'not-replayable', detail: 'its run does not go on' };
    api.answers['POST /v1/quarantine/steps/qst_2/replay'] = { status: 409, body };
    const refused = await quarantine('replay', 'qst_2');
    expect(refused.code).not.toBe(exitCodes.ok);
    expect(refused.notes).toContain('its run does not go on');
  });
});

describe('quarantined jobs', () => {
  const job = {
    kind: 'job',
    id: 'job_1',
    reason: 'status 500',
    ...kept,
    clientId: 'cli_1',
    scheduledFor: at,
    expiresAt: null,
    expired: false,
    attempts: 3,
    method: 'POST',
    url: 'https://one.example/x',
    status: 500,
  };

  it('are counted by client and reason, and listed one by one', async () => {
    const group = { kind: 'job', reason: 'status 500', items: 1200, ...times, clientId: 'cli_1' };
    api.answers['GET /v1/quarantine/jobs/groups?client=orders'] = ok({ items: [group], next: null });
    const grouped = await quarantine('groups', '--kind', 'job', '--client', 'orders');
    expect(grouped.out).toMatch(/1,200 +cli_1 +status 500/);
    api.answers['GET /v1/quarantine/jobs?reason=status%20500&limit=50'] = ok({ items: [job], next: 'on' });
    const { out, notes } = await quarantine('list', '--kind', 'job', '--reason', 'status 500');
    expect(out).toMatch(/job_1 +cli_1 +status 500 +https:\/\/one\.example\/x/);
    expect(notes).toContain('--cursor on');
  });

  it('are shown with body and response, without terminal control characters', async () => {
    const content = { headers: null, body: '{"a":1}', answer: 'no\u001b[2Jway', idempotencyKey: null, tags: [] };
    api.answers['GET /v1/quarantine/jobs/job_1'] = ok({ ...job, ...content });
    const { out } = await quarantine('show', 'job_1');
    expect(out).toContain('(body)\n{"a":1}');
    expect(out).not.toContain('\u001b[2J');
  });

  it('are replayed one by one or at a rate, with a note about expired jobs', async () => {
    api.answers['POST /v1/quarantine/jobs/job_1/replay'] = ok({ kind: 'job', id: 'job_1', state: 'replayed' });
    api.answers['POST /v1/quarantine/jobs/replay'] = ok({ items: 12, expired: 3 });
    expect((await quarantine('replay', 'job_1', '--with-expired')).out).toBe('job_1 replayed\n');
    const many = await quarantine('replay', '--kind', 'job', '--client', 'orders', '--per-second', '20');
    expect(many.out).toBe('12 jobs replayed\n');
    expect(many.notes).toContain('--with-expired');
    expect(api.bodies).toEqual([{ withExpired: true }, { client: 'orders', perSecond: 20 }]);
  });

  it('are discarded one by one, or by client and reason', async () => {
    api.answers['POST /v1/quarantine/jobs/job_1/discard'] = ok({ kind: 'job', id: 'job_1', state: 'discarded' });
    api.answers['POST /v1/quarantine/jobs/discard'] = ok({ items: 1200, expired: 0 });
    expect((await quarantine('discard', 'job_1')).out).toBe('job_1 discarded\n');
    const many = await quarantine('discard', '--kind', 'job', '--client', 'orders', '--reason', 'status 410');
    expect(many.out).toBe('1,200 jobs discarded\n');
    expect(api.bodies).toEqual([{ client: 'orders', reason: 'status 410' }]);
  });
});

describe('a command about quarantined items', () => {
  it.each([
    ['list without a kind', ['list']],
    ['groups of jobs by topic', ['groups', '--kind', 'job', '--topic', 't']],
    ['list of messages by run', ['list', '--kind', 'message', '--run', 'run_1']],
    ['list of steps in a state of messages', ['list', '--kind', 'step', '--state', 'replaying']],
    ['show of an id of another kind', ['show', 'cmp_1']],
    ['replay of nothing', ['replay']],
    ['replay of an id and all', ['replay', 'job_1', '--all']],
    ['replay of all and a client', ['replay', '--kind', 'job', '--all', '--client', 'orders']],
    ['replay of all without a kind', ['replay', '--all']],
    ['replay of one job at a rate', ['replay', 'job_1', '--per-second', '2']],
    ['replay of a message with expired ones', ['replay', 'dlt_1', '--with-expired']],
    ['discard of messages by client', ['discard', '--kind', 'message', '--client', 'orders']],
    ['discard of several steps', ['discard', '--kind', 'step', '--all']],
  ])('is rejected before a request: %s', async (_name, args) => {
    expect((await quarantine(...args)).code).toBe(exitCodes.usage);
    expect(api.requests).toEqual([]);
  });
});
