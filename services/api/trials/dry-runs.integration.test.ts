import { beforeEach, describe, expect, it } from 'vitest';
import { auditRecord } from '../../../shared/contracts/access/audit.ts';
import { runReport } from '../../../shared/contracts/runs/runs.ts';
import { trial } from '../../../shared/contracts/runs/trials.ts';
import { uuidOf } from '../../../shared/domain/ids/ids.ts';
import { authorized } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { approvalsOn, verdictOf } from '../../../test/support/approvals-on-api.ts';

const on = apiOnPostgres({ quotas: { openRuns: 2 } });
const { addPeople, asks, setPolicy, write } = approvalsOn(on);

const send = (id: string) => asks('mei, manager', 'POST', `/campaigns/${id}/trials`, { kind: 'dry-run' });

async function begun(id: string) {
  const answer = await send(id);
  expect(answer.statusCode, answer.body).toBe(201);
  const { run, ...rest } = trial.parse(answer.json());
  return { run: run ?? expect.fail('a dry run has a run'), ...rest };
}

const now = (plusMs = 0) => new Date(on.deps.clock.nowMs() + plusMs);

const runsOf = async () =>
  (await on.pool.query<{ id: string; state: string }>('select id, state from runs order by id')).rows;

/** A feed of the run in SG, with so many users through each step. */
async function addFeed(runId: string, through: readonly number[], kind: 'dry' | 'live') {
  const fedUsers = Math.max(...through);
  const feedId = await on.deps.rows.addFeed(runId, { country: 'SG', fedUsers, complete: true });
  for (const [index, succeeded] of through.entries())
    await on.deps.rows.addTotals(feedId, kind === 'dry' ? -1 : 0, { step: index + 1, batches: 1, succeeded });
}

beforeEach(addPeople);

describe('a dry run', () => {
  it('is a separate run of the newest revision, with its own settings and a deadline of six hours', async () => {
    const { id } = await write();
    const { run, links } = await begun(id);
    expect(run).toMatchObject({ kind: 'dry-run', state: 'preparing', campaignId: id, revision: 1 });
    expect(run.settings).toMatchObject({ priority: 'low', paceUsersPerSecond: 20_000, pauseAtFailedPercent: null });
    expect(links).toEqual({ self: `/v1/runs/${run.runId}`, report: `/v1/runs/${run.runId}/report` });
    const hours = (Date.parse(run.deadlineAt ?? '') - Date.parse(run.scheduledFor)) / 3_600_000;
    expect(Math.round(hours)).toBe(6);
  });

  it('begins once under one Idempotency-Key, and once for each request without a key', async () => {
    const { id } = await write();
    const headers = { ...authorized, 'idempotency-key': 'a-dry-run' };
    const url = `/v1/campaigns/${id}/trials`;
    const payload = { kind: 'dry-run' };
    const again = () => on.api.server.inject({ method: 'POST', url, headers, payload });
    const [first, second] = [await again(), await again()];
    expect(second.json()).toEqual(first.json());
    expect(await runsOf()).toHaveLength(1);
    await begun(id);
    expect(await runsOf()).toHaveLength(2);
    expect(verdictOf(await send(id))).toBe('429 quota-exceeded');
  });

  it('needs no approval, under any policy', async () => {
    await setPolicy({ rules: [{ approvers: 1 }] });
    const { id } = await write();
    await begun(id);
  });

  it('does not count in the figures of its campaign, and is listed separately', async () => {
    const { id } = await write();
    const { run } = await begun(id);
    expect((await on.ask('GET', `/v1/campaigns/${id}`)).json()).toMatchObject({
      state: 'draft',
      links: { latestRun: null },
    });
    const listed = async (kind: string) =>
      (await on.ask('GET', `/v1/runs?kind=${kind}`)).json<{ items: object[] }>().items;
    expect(await listed('live')).toEqual([]);
    expect(await listed('test')).toEqual([]);
    expect(await listed('dry-run')).toMatchObject([{ runId: run.runId, kind: 'dry-run' }]);
    const audience = { include: [{ runId: run.runId }] };
    const answer = await asks('mei, manager', 'POST', '/campaigns', {
      name: 'Again',
      countries: ['SG'],
      chain: [{ action: 'award-reward' }],
      audience,
    });
    expect(answer.json()).toMatchObject({ status: 422, errors: [{ pointer: '/audience/include/0/runId' }] });
  });

  it('has no users to retry, and is in the audit log', async () => {
    const { id } = await write();
    const { run } = await begun(id);
    await on.pool.query(`update runs set state = 'completed', ended_at = now()`);
    expect(verdictOf(await on.ask('POST', `/v1/runs/${run.runId}/retry-failed`))).toBe('409 run-is-dry');
    const lines = (await on.ask('GET', `/v1/audit?subject=${id}`)).json<{ items: unknown[] }>().items;
    const [line] = lines.map((each) => auditRecord.parse(each)).filter(({ route }) => route.endsWith('/trials'));
    expect(line).toMatchObject({ detail: { kind: 'dry-run', created: run.runId } });
  });
});

describe('the report of a dry run', () => {
  const reportOf = async (path: string) => runReport.parse((await on.ask('GET', path)).json());

  it('has the expected duration by the fastest recent run, and names the steps of unknown duration', async () => {
    const { id } = await write();
    const { run, links } = await begun(id);
    const runId = uuidOf('run', run.runId) ?? expect.fail();
    await addFeed(runId, [900, 800], 'dry');
    const rate = async (seconds: number, through: number[], endedAt = now()) => {
      const campaignId = uuidOf('campaign', id) ?? expect.fail();
      const startedAt = new Date(endedAt.getTime() - seconds * 1000);
      const ended = {
        campaignId,
        revision: 1,
        scheduledFor: startedAt,
        startedAt,
        endedAt,
        state: 'completed',
      } as const;
      await addFeed(await on.deps.rows.addRun(ended), through, 'live');
    };
    await rate(120, [200]);
    await rate(100, [900]);
    await rate(1, [90_000], now(-40 * 86_400_000));
    const { forecast } = await reportOf(links.report ?? '');
    expect(forecast).toMatchObject({
      load: [
        { step: 1, action: 'award-reward', country: 'SG', users: 900, limit: 'earlier-run', seconds: 100 },
        { step: 2, action: 'send-message', country: 'SG', users: 800, limit: null, seconds: null },
      ],
      takesSeconds: { atLeast: 100, atMost: null },
    });
    expect(forecast?.restsOn).toContain('award-reward in SG at the speed of the fastest run of the last 30 days');
    expect(forecast?.restsOn).toContain('The speed of send-message in SG is unknown.');
    expect(forecast?.restsOn).toContain('No worker serves award-reward in SG, send-message in SG now.');
  });

  it('uses the pace of its campaign if that is slower, and not its own pace', async () => {
    const { id } = await write('mei, manager', { paceUsersPerSecond: 3 });
    const { run, links } = await begun(id);
    await addFeed(uuidOf('run', run.runId) ?? expect.fail(), [900, 900], 'dry');
    const { forecast, audience } = await reportOf(links.report ?? '');
    expect(forecast).toMatchObject({ takesSeconds: { atLeast: 300, atMost: 300 } });
    expect(forecast?.restsOn).toContain('The slowest known part is the pace of the campaign');
    expect(audience.shared).toBe(0);
  });

  it('has a forecast, unlike the reports of other runs', async () => {
    const { id } = await write();
    const campaignId = uuidOf('campaign', id) ?? expect.fail();
    const runId = await on.deps.rows.addRun({ campaignId, revision: 1, scheduledFor: now(), state: 'running' });
    await addFeed(runId, [900, 800], 'live');
    const [{ runId: listedRun } = expect.fail()] = (await on.ask('GET', '/v1/runs')).json<{
      items: { runId: string }[];
    }>().items;
    const { forecast, audience } = await reportOf(`/v1/runs/${listedRun}/report`);
    expect([forecast, audience.shared]).toEqual([null, undefined]);
  });
});

it('the pages of a dry run are not counted as load of any shard', async () => {
  const { id } = await write();
  await begun(id);
  await on.pool.query(`update runs set state = 'running'`);
  const [{ id: runId } = expect.fail()] = await runsOf();
  await on.deps.rows.addFeed(runId, { country: 'SG', estimate: 50_000 });
  const { rows } = await on.pool.query('select dry from feeds');
  expect(rows).toEqual([{ dry: true }]);
  expect((await on.deps.shardReader.read()).every(({ lag }) => lag.aheadBatches + lag.pacedBatches === 0)).toBe(true);
});
