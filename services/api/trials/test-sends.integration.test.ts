import { beforeEach, describe, expect, it } from 'vitest';
import { auditRecord } from '../../../shared/contracts/access/audit.ts';
import { runReport } from '../../../shared/contracts/runs/runs.ts';
import { uuidOf } from '../../../shared/domain/ids/ids.ts';
import { authorized } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { approvalsOn, verdictOf } from '../../../test/support/approvals-on-api.ts';
import { testedChain as chain, testedUsers as users, testSendsOn } from '../../../test/support/test-sends-on-api.ts';

const on = apiOnPostgres({ quotas: { openRuns: 2 } });
const approvals = approvalsOn(on);
const { addPeople, asks, write } = approvals;
const { send, sent, understandsTest } = testSendsOn(on, approvals);

const rowsOf = async (text: string, values: unknown[] = []) => (await on.pool.query(text, values)).rows as unknown[];

beforeEach(addPeople);

describe('a test send', () => {
  it('reports in its preview and in its run which steps are real', async () => {
    await understandsTest('award-reward');
    const { id } = await write('mei, manager', { chain });
    const preview = await send(id, { preview: true });
    expect(preview.statusCode).toBe(200);
    const summary = {
      isReal: true,
      summary:
        'send-message: these 4 users really get it. award-reward: the endpoint is called in test mode, and gives nothing.',
      steps: [
        { step: 1, action: 'award-reward', mode: 'test' },
        { step: 2, action: 'send-message', mode: 'live' },
      ],
    };
    expect(preview.json()).toMatchObject({ ...summary, run: null, links: { self: null } });
    expect(await rowsOf('select from runs')).toEqual([]);

    const { run, links, ...answer } = await sent(id);
    expect(answer).toMatchObject(summary);
    expect(run).toMatchObject({ kind: 'test', state: 'running', campaignId: id, revision: 1 });
    const report = runReport.parse((await on.ask('GET', links.report ?? '')).json());
    expect(report).toMatchObject({ kind: 'test', audience: { estimated: 4 } });
    expect(report.steps.map(({ mode }) => mode)).toEqual(['test', 'live']);
  });

  it('goes to exactly the named users, and to no user of the audience', async () => {
    const { id } = await write();
    const { run } = await sent(id);
    const feeds = await rowsOf(`select run, country, segment, complete, from_step from feeds`);
    expect(feeds).toEqual([
      { run: uuidOf('run', run?.runId ?? ''), country: 'SG', segment: '', complete: false, from_step: 1 },
    ]);
    const stored = await rowsOf('select user_id from explicit_users order by user_id');
    expect(stored).toEqual(['nguyễn.thị@riders', 'u1', 'zoë', '🦄'].map((user_id) => ({ user_id })));
  });

  it('keeps which of its steps are real, whatever the action type declares later', async () => {
    await understandsTest('award-reward');
    const { id } = await write('mei, manager', { chain });
    const { links } = await sent(id);
    await understandsTest('award-reward', false);
    const report = runReport.parse((await on.ask('GET', links.report ?? '')).json());
    expect(report.steps.map(({ mode }) => mode)).toEqual(['test', 'live']);
    expect((await sent(id, { again: true })).steps.map(({ mode }) => mode)).toEqual(['live', 'live']);
  });

  it('is repeated for the same users in a new run if the request demands it', async () => {
    const { id } = await write();
    const [first, second] = [await sent(id), await sent(id, { again: true })];
    expect(first.run?.runId).not.toBe(second.run?.runId);
    expect(
      await rowsOf('select count(distinct feed)::int as feeds, count(*)::int as users from explicit_users'),
    ).toEqual([{ feeds: 2, users: 8 }]);
  });

  it('is sent once under one Idempotency-Key, however often it is repeated', async () => {
    const { id } = await write();
    const headers = { ...authorized, 'idempotency-key': 'a-test' };
    const url = `/v1/campaigns/${id}/trials`;
    const payload = { kind: 'test', users, country: 'SG' };
    const again = () => on.api.server.inject({ method: 'POST', url, headers, payload });
    const [first, second] = [await again(), await again()];
    expect(second.json()).toEqual(first.json());
    expect(await rowsOf('select count(*)::int as runs from runs')).toEqual([{ runs: 1 }]);
  });

  it('reports all problems of the named users', async () => {
    const { id } = await write();
    const answer = await send(id, { users: ['u1', 'u1', '', 'a\u0007'] });
    expect(answer.statusCode).toBe(422);
    const { errors } = answer.json<{ errors: { pointer: string }[] }>();
    expect(errors.map(({ pointer }) => pointer).toSorted()).toEqual(['/users/1', '/users/2', '/users/3']);
    const many = Array.from({ length: 201 }, (_, index) => `u${index}`);
    expect(verdictOf(await send(id, { users: many }))).toMatch(/^422/);
    expect((await send(id, { country: 'MY' })).json()).toMatchObject({
      status: 422,
      errors: [{ pointer: '/country', code: 'foreign-country' }],
    });
  });

  it('is refused for an archived campaign, and for a deleted action type', async () => {
    const { id } = await write();
    await on.ask('POST', `/v1/campaigns/${id}/archive`);
    expect(verdictOf(await send(id))).toBe('409 state-forbids');
    await on.ask('POST', `/v1/campaigns/${id}/unarchive`);
    await on.ask('PATCH', '/v1/action-types/award-reward', { enabled: false });
    expect(verdictOf(await send(id))).toBe('409 no-longer-configured');
  });

  it('counts as an open run of its team, and is in the audit log', async () => {
    const { id } = await write();
    const { run } = await sent(id);
    await sent(id, { again: true });
    expect(verdictOf(await send(id, { again: true }))).toBe('429 quota-exceeded');
    const lines = (await on.ask('GET', `/v1/audit?subject=${id}`)).json<{ items: unknown[] }>().items;
    const [line] = lines.map((each) => auditRecord.parse(each)).filter(({ route }) => route.endsWith('/trials'));
    expect(line).toMatchObject({ detail: { kind: 'test', users: 4, countries: ['SG'], isReal: true } });
    expect(JSON.stringify(lines)).toContain(run?.runId);
    expect(JSON.stringify(lines)).not.toContain('nguyễn');
  });

  it('is in the audit log even if it was refused; a preview is not', async () => {
    const { id } = await write();
    await send(id, { preview: true });
    await on.ask('POST', `/v1/campaigns/${id}/archive`);
    expect(verdictOf(await send(id))).toBe('409 state-forbids');
    const lines = (await on.ask('GET', `/v1/audit?subject=${id}`)).json<{ items: unknown[] }>().items;
    const entries = lines.map((each) => auditRecord.parse(each)).filter(({ route }) => route.endsWith('/trials'));
    expect(entries).toMatchObject([{ status: 409, detail: { kind: 'test', refused: 'state-forbids' } }]);
  });
});

describe('a tested campaign', () => {
  it('is still the same draft, without a run', async () => {
    const { id } = await write();
    await sent(id);
    expect((await on.ask('GET', `/v1/campaigns/${id}`)).json()).toMatchObject({
      state: 'draft',
      links: { latestRun: null },
    });
    expect((await on.ask('GET', '/v1/campaigns/counts')).json()).toMatchObject({ draft: 1, running: 0 });
    const runs = async (kind = '') => (await on.ask('GET', `/v1/runs?campaignId=${id}${kind}`)).json<{ items: [] }>();
    expect((await runs()).items).toEqual([]);
    expect((await runs('&kind=test')).items).toMatchObject([{ kind: 'test', campaignId: id }]);
  });

  it('cannot name the test as an audience', async () => {
    const { id } = await write();
    const { run } = await sent(id);
    const audience = { include: [{ runId: run?.runId }] };
    const answer = await asks('mei, manager', 'POST', '/campaigns', {
      name: 'Again',
      countries: ['SG'],
      chain: [{ action: 'award-reward' }],
      audience,
    });
    expect(answer.json()).toMatchObject({ status: 422, errors: [{ pointer: '/audience/include/0/runId' }] });
  });

  it('cannot retry the failed users of a test run', async () => {
    const { id } = await write();
    const { run } = await sent(id);
    await on.pool.query(`update runs set state = 'completed_with_failures', ended_at = now()`);
    const retry = await on.ask('POST', `/v1/runs/${run?.runId ?? ''}/retry-failed`);
    expect(verdictOf(retry)).toBe('409 run-is-a-test');
  });
});

describe('the cost of a test', () => {
  const budgets = [{ country: 'SG', units: 100 }];

  const unitsOfFeeds = async () =>
    (await rowsOf('select step_units::int[] from feeds order by feed')).map(
      (row) => (row as { step_units: unknown }).step_units,
    );

  it('is the cost of its real steps', async () => {
    await understandsTest('award-reward');
    const { id } = await write('mei, manager', { chain, budgets });
    await sent(id);
    expect(await unitsOfFeeds()).toEqual([[0, 1]]);
  });

  it('is zero without real steps, and in a country without a budget', async () => {
    const { id } = await write('mei, manager', { chain, budgets });
    await sent(id, { country: 'VN' });
    await understandsTest('award-reward');
    await understandsTest('send-message');
    const { isReal, summary } = await sent(id);
    expect([isReal, summary]).toEqual([
      false,
      'No user really gets anything. award-reward, send-message: the endpoint is called in test mode, and gives nothing.',
    ]);
    expect(await unitsOfFeeds()).toEqual([null, null]);
  });
});
