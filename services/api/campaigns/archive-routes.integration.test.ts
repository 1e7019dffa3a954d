import { describe, expect, it } from 'vitest';
import { campaignCounts, listedCampaign } from '../../../shared/contracts/runs/campaign-lists.ts';
import { campaign } from '../../../shared/contracts/campaigns/campaigns.ts';
import { uuidOf } from '../../../shared/domain/ids/ids.ts';
import { runStates, type RunState } from '../../../shared/domain/run/run-states.ts';
import { someCampaign } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { untilOneWaits } from '../../../test/support/lock-waits.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { problem } from '../frame/problems.contract.ts';

const on = apiOnPostgres();

const created = async (fields: object = {}) =>
  campaign.parse((await on.ask('POST', '/v1/campaigns', { ...someCampaign, ...fields })).json());

const post = async (id: string, verb: string) => await on.ask('POST', `/v1/campaigns/${id}/${verb}`);

const listed = async (query = '') =>
  pageShape(listedCampaign)
    .parse((await on.ask('GET', `/v1/campaigns${query}`)).json())
    .items.map(({ id }) => id);

const uuid = (id: string) => uuidOf('campaign', id) ?? expect.fail(`${id} is no campaign's`);

async function addRun(id: string, state: RunState, endedAt?: Date, parentId?: string) {
  const scheduledFor = new Date(on.deps.clock.nowMs() + (parentId === undefined ? 0 : 1));
  const run = { campaignId: uuid(id), revision: 1, scheduledFor, state, ...(endedAt && { endedAt }) };
  return await on.deps.rows.addRun({ ...run, ...(parentId !== undefined && { parentId }) });
}

/** Creates a campaign with an ended run. */
async function ended() {
  const { id } = await created();
  await post(id, 'start');
  await on.pool.query('delete from run_starts');
  return { id, runId: await addRun(id, 'completed', new Date()) };
}

const refusalOf = (answer: Awaited<ReturnType<typeof post>>) => {
  const { status, code, detail } = problem.parse(answer.json());
  return `${status} ${code}: ${detail}`;
};

describe('an archived campaign', () => {
  it('is only in the list of archived campaigns, is found by its id, and is unchanged after it is restored', async () => {
    const before = await created();
    const { id } = await created({ name: 'put away' });
    const archived = await post(id, 'archive');
    expect(archived.json()).toMatchObject({ id, state: 'draft', archivedAt: '2026-01-01T00:00:00.000Z' });
    expect((await post(id, 'archive')).json()).toEqual(archived.json());

    expect(await listed()).toEqual([before.id]);
    expect(await listed('?state=draft')).toEqual([before.id]);
    expect(await listed('?q=put')).toEqual([]);
    expect(await listed('?state=archived')).toEqual([id]);
    expect(await listed(`?q=${id}`)).toEqual([id]);
    const counts = campaignCounts.parse((await on.ask('GET', '/v1/campaigns/counts')).json());
    expect(counts).toMatchObject({ all: 1, draft: 1, archived: 1 });

    const taken = await post(id, 'unarchive');
    expect(taken.json()).toMatchObject({ id, state: 'draft', archivedAt: null, revision: 1 });
    expect((await post(id, 'unarchive')).json()).toEqual(taken.json());
    expect(await listed()).toEqual([id, before.id]);
  });

  it('cannot be changed or started until it is restored, except for its description', async () => {
    const { id } = await created();
    await post(id, 'archive');
    const forbidden = `409 state-forbids: ${id} is archived: restore it first (POST /v1/campaigns/${id}/unarchive)`;
    expect(refusalOf(await post(id, 'start'))).toBe(forbidden);
    expect(refusalOf(await on.ask('PATCH', `/v1/campaigns/${id}`, { name: 'other' }))).toBe(forbidden);
    expect((await on.ask('PATCH', `/v1/campaigns/${id}`, { owner: 'growth' })).statusCode).toBe(200);
    await post(id, 'unarchive');
    expect((await on.ask('PATCH', `/v1/campaigns/${id}`, { name: 'other' })).statusCode).toBe(200);
    expect((await post(id, 'start')).statusCode).toBe(200);
  });

  it('is not started by a direct call of the store either', async () => {
    const { id } = await created();
    await post(id, 'archive');
    const { campaigns } = on.deps;
    expect(await campaigns.start(uuid(id), null)).toMatchObject({ state: 'draft' });
    const recurrence = { cron: '0 9 * * *', zone: 'UTC', misfire: 'fire-once', overlap: 'skip' } as const;
    await campaigns.startRecurring(uuid(id), { ...recurrence, catchUpSeconds: 60, spreadSeconds: 0 });
    const record = await campaigns.get(uuid(id));
    expect(record).toMatchObject({ state: 'draft', scheduleId: null });
    const definition = record?.definition ?? expect.fail('it is gone');
    const late = await campaigns.redefine(uuid(id), { ...definition, name: 'late' }, 1);
    expect(late).toMatchObject({ isWritten: false, record: { revision: 1 } });
    expect(await on.rowsOf('run_starts')).toEqual([]);
  });

  it.each(runStates)('is not archived before its run, which was %s, has ended', async (state) => {
    const hasEnded = ['completed', 'completed_with_failures', 'expired', 'cancelled', 'failed'].includes(state);
    const { id } = await created();
    await post(id, 'start');
    await on.pool.query('delete from run_starts');
    await addRun(id, state, hasEnded ? new Date() : undefined);
    const answer = await post(id, 'archive');
    if (hasEnded) expect(answer.json()).toMatchObject({ state });
    else
      expect(refusalOf(answer)).toMatch(
        new RegExp(`^409 state-forbids: ${id} cannot be archived: run_\\w+ is ${state}`),
      );
    expect(await listed('?state=archived')).toEqual(hasEnded ? [id] : []);
  });

  it('is not archived while it is scheduled, recurring or retrying failed users', async () => {
    const { id: scheduled } = await created({ schedule: { type: 'at', time: '2026-02-01T00:00:00Z' } });
    await post(scheduled, 'start');
    expect(refusalOf(await post(scheduled, 'archive'))).toContain('it is scheduled: unschedule it first');
    await post(scheduled, 'unschedule');
    expect((await post(scheduled, 'archive')).statusCode).toBe(200);

    const { id: recurring } = await created({ schedule: { type: 'recurring', cron: '0 9 * * *', zone: 'UTC' } });
    const { scheduleId } = campaign.parse((await post(recurring, 'start')).json());
    await on.ask('POST', `/v1/schedules/${scheduleId}/pause`);
    expect(refusalOf(await post(recurring, 'archive'))).toContain(`${scheduleId} is paused: disable it first`);
    await on.ask('POST', `/v1/schedules/${scheduleId}/disable`);
    expect((await post(recurring, 'archive')).statusCode).toBe(200);

    const { id, runId } = await ended();
    await addRun(id, 'running', undefined, runId);
    expect(refusalOf(await post(id, 'archive'))).toContain('is running, and has to end first');
  });

  it('is not archived if a concurrent start is first', async () => {
    const { id } = await created();
    const client = await on.pool.connect();
    try {
      await client.query('begin');
      await client.query(`update campaigns set state = 'scheduled' where id = $1`, [uuid(id)]);
      await client.query(
        `insert into run_starts (partition_id, due_at, id, campaign, revision) values (1, now(), uuidv7(), $1, 1)`,
        [uuid(id)],
      );
      const answer = post(id, 'archive');
      await untilOneWaits(on.pool);
      await client.query('commit');
      expect(refusalOf(await answer)).toContain('it is scheduled');
    } finally {
      client.release();
    }
  });

  it('is in the usual list again while another of its runs continues', async () => {
    const { id, runId } = await ended();
    await post(id, 'archive');
    expect(await listed()).toEqual([]);
    const retry = await addRun(id, 'running', undefined, runId);
    expect(await listed('?state=ended')).toEqual([id]);
    await on.pool.query('update runs set ended_at = now() where id = $1', [retry]);
    expect(await listed()).toEqual([]);
    await on.pool.query(`insert into run_starts (partition_id, due_at, id, campaign, revision)
      select 1, now(), uuidv7(), id, 1 from campaigns`);
    expect(await listed('?state=scheduled')).toEqual([id]);
    await on.pool.query('delete from run_starts');
    await on.pool.query('update runs set ended_at = null, state = $1 where id = $2', ['running', runId]);
    expect(await listed()).toEqual([id]);
  });

  it('does not need attention because of a failed run', async () => {
    const { id } = await created();
    await addRun(id, 'failed', new Date(on.deps.clock.nowMs()));
    expect(await listed('?state=needs-attention')).toEqual([id]);
    await post(id, 'archive');
    expect(await listed('?state=needs-attention')).toEqual([]);
  });
});

describe('the deletion of a draft', () => {
  it('removes the draft with all its revisions and budgets, and keeps its entries in the audit log', async () => {
    const other = await created();
    const chain = [{ action: 'award-reward', params: { rewardId: 'ride-5' }, unitsPerUser: 2 }];
    const { id } = await created({ name: 'nothing came of it', chain, budgets: [{ country: 'SG', units: 5 }] });
    await on.ask('PATCH', `/v1/campaigns/${id}`, { priority: 'low' });

    expect((await on.ask('DELETE', `/v1/campaigns/${id}`)).statusCode).toBe(204);
    expect((await on.ask('DELETE', `/v1/campaigns/${id}`)).statusCode).toBe(204);

    expect((await on.ask('GET', `/v1/campaigns/${id}`)).statusCode).toBe(404);
    expect(await on.rowsOf('budgets')).toEqual([]);
    const left = (await on.rowsOf('revisions')).map((row) => row['campaign']);
    expect(left).toEqual([uuid(other.id)]);
    expect((await on.ask('GET', `/v1/audit?subject=${id}&method=DELETE`)).json()).toMatchObject({
      items: [{ detail: {} }, { detail: { name: 'nothing came of it', revision: 2 } }],
    });
  });

  it('is possible after the draft was archived', async () => {
    const { id } = await created();
    await post(id, 'archive');
    expect((await on.ask('DELETE', `/v1/campaigns/${id}`)).statusCode).toBe(204);
    expect(await on.rowsOf('campaigns')).toEqual([]);
  });

  it('is refused for a campaign that was started or has a run', async () => {
    const { id } = await created();
    await post(id, 'start');
    const forbidden = `409 state-forbids: ${id} cannot be deleted: `;
    const started = `${forbidden}it is started, and only a draft can be deleted: archive it`;
    expect(refusalOf(await on.ask('DELETE', `/v1/campaigns/${id}`))).toBe(started);
    await post(id, 'unschedule');
    await addRun(id, 'completed', new Date());
    expect(refusalOf(await on.ask('DELETE', `/v1/campaigns/${id}`))).toBe(`${forbidden}it has run: archive it`);
    expect(await on.rowsOf('revisions')).toHaveLength(1);
  });

  it('waits for a concurrent change and removes the revision of that change, too', async () => {
    const { id } = await created();
    const client = await on.pool.connect();
    try {
      await client.query('begin');
      await client.query('update campaigns set revision = 2 where id = $1', [uuid(id)]);
      await client.query(
        `insert into revisions (campaign, revision, definition) select campaign, 2, definition
          from revisions where campaign = $1`,
        [uuid(id)],
      );
      const answer = on.ask('DELETE', `/v1/campaigns/${id}`);
      await untilOneWaits(on.pool);
      await client.query('commit');
      expect((await answer).statusCode).toBe(204);
      expect(await on.rowsOf('revisions')).toEqual([]);
    } finally {
      client.release();
    }
  });
});
