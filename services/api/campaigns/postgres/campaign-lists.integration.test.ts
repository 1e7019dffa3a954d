import { beforeEach, describe, expect, it } from 'vitest';
import type { CampaignStore } from '../../../../services/api/campaigns/campaign-store.port.ts';
import type { RunReports } from '../../../../services/api/runs/run-reports.port.ts';
import type { RunState } from '../../../../shared/domain/run/run-states.ts';
import { campaignDefinitionOf, type RunRows, type RunSeed } from '../../../../test/support/conformance/run-rows.ts';
import { databaseForFile } from '../../../../test/support/file-database.ts';
import { createPostgresRunRows } from '../../../../test/support/postgres-run-rows.ts';
import { createRunReports } from '../../../../services/api/runs/postgres/run-reports.ts';
import { createCampaignStore } from './campaign-store.ts';
import { createCampaignLists, type CampaignLists } from './campaign-lists.ts';
import { usualQuotas } from '../../../../shared/runtime/configuration/quotas.ts';

interface CampaignListsSubject {
  campaigns: CampaignStore;
  lists: CampaignLists;
  reports: RunReports;
  rows: RunRows;
  addEvent(runId: string, kind: 'pausing' | 'auto-paused'): Promise<void>;
  /** Removes the planned start of a campaign, as if the start had happened. */
  forgetStart(campaignId: string): Promise<void>;
  now(): Promise<Date>;
}

const dayMs = 86_400_000;

const database = databaseForFile();

async function makeSubject(): Promise<CampaignListsSubject> {
  await database.empty();
  const { pool } = database;
  return {
    campaigns: createCampaignStore({ pool, quotas: usualQuotas }),
    lists: createCampaignLists({ pool }),
    reports: createRunReports({ pool }),
    rows: createPostgresRunRows({ pool }),
    addEvent: async (runId, kind) => {
      await pool.query('insert into run_events (run, kind) values ($1, $2)', [runId, kind]);
    },
    forgetStart: async (campaignId) => {
      await pool.query('delete from run_starts where campaign = $1', [campaignId]);
    },
    now: async () => {
      const { rows } = await pool.query<{ now: Date }>('select now()');
      return rows[0]?.now ?? expect.fail('the database does not know the time');
    },
  };
}

describe('the list of campaigns', () => {
  let subject: CampaignListsSubject;
  let planned = 0;
  beforeEach(async () => {
    subject = await makeSubject();
  });

  const create = async (title: string, changes = {}) =>
    (await subject.campaigns.create(campaignDefinitionOf({ name: title, ...changes }))).campaignId;

  async function addRun(campaignId: string, state: RunState, changes: Partial<RunSeed> = {}) {
    const scheduledFor = new Date(1_700_000_000_000 + planned++ * 60_000);
    return await subject.rows.addRun({ campaignId, revision: 1, scheduledFor, state, ...changes });
  }

  /** Creates one campaign in each state, oldest first. */
  async function addOneOfEach() {
    const now = await subject.now();
    const ago = (days: number) => new Date(now.getTime() - days * dayMs);
    const draft = await create('draft');
    const ended = await create('ended');
    await subject.campaigns.start(ended, new Date(0));
    await subject.forgetStart(ended);
    await addRun(ended, 'completed', { endedAt: now });
    const scheduled = await create('scheduled');
    await subject.campaigns.start(scheduled, new Date('2030-01-01T00:00:00Z'));
    const running = await create('running');
    await addRun(running, 'running');
    const paused = await create('paused');
    await subject.addEvent(await addRun(paused, 'paused'), 'pausing');
    const stalled = await create('stalled');
    const stalledRun = await addRun(stalled, 'running');
    await subject.rows.addFeed(stalledRun, { country: 'SG', stalled: 'the segment does not answer' });
    const failed = await create('failed');
    await addRun(failed, 'failed', { endedAt: ago(1) });
    const longFailed = await create('long failed');
    await addRun(longFailed, 'failed', { endedAt: ago(8) });
    return { draft, ended, scheduled, running, paused, stalled, failed, longFailed };
  }

  const namesOf = async (...args: Partial<Parameters<CampaignLists['page']>>) => {
    const [search = {}, choice, order = 'newest', limit = 50, after = null] = args;
    const { items } = await subject.lists.page(search, choice, order, limit, after);
    return items.map(({ campaign }) => campaign.definition.name);
  };

  it('shows the state of each campaign and whether it needs attention', async () => {
    await addOneOfEach();
    const { items, next } = await subject.lists.page({}, undefined, 'newest', 50, null);
    expect(next).toBeNull();
    expect(
      items.map(({ campaign, standing, needsAttention }) => [campaign.definition.name, standing, needsAttention]),
    ).toEqual([
      ['long failed', 'draft', false],
      ['failed', 'draft', true],
      ['stalled', 'running', true],
      ['paused', 'paused', false],
      ['running', 'running', false],
      ['scheduled', 'scheduled', false],
      ['ended', 'ended', false],
      ['draft', 'draft', false],
    ]);
  });

  it('shows a campaign as scheduled while another run is planned', async () => {
    const campaignId = await create('weekly');
    await subject.campaigns.start(campaignId, new Date('2030-01-01T00:00:00Z'));
    await addRun(campaignId, 'completed', { endedAt: await subject.now() });
    expect(await namesOf({}, 'scheduled')).toEqual(['weekly']);
    await subject.forgetStart(campaignId);
    expect(await namesOf({}, 'ended')).toEqual(['weekly']);
  });

  it('returns the number of campaigns in each state if requested', async () => {
    await addOneOfEach();
    expect(await subject.lists.counts({})).toEqual({
      all: 8,
      'needs-attention': 2,
      running: 2,
      paused: 1,
      scheduled: 1,
      ended: 1,
      draft: 3,
      archived: 0,
    });
    expect(await subject.lists.counts({ text: 'FAILED' })).toMatchObject({ all: 2, draft: 2, 'needs-attention': 1 });
  });

  it('is filtered by state or by the need for attention', async () => {
    await addOneOfEach();
    expect(await namesOf({}, 'needs-attention')).toEqual(['failed', 'stalled']);
    expect(await namesOf({}, 'running')).toEqual(['stalled', 'running']);
  });

  it('marks a campaign that paused itself until a person pauses it', async () => {
    const campaignId = await create('wallet');
    const runId = await addRun(campaignId, 'paused');
    await subject.addEvent(runId, 'pausing');
    await subject.addEvent(runId, 'auto-paused');
    const [itself] = (await subject.lists.page({}, undefined, 'newest', 10, null)).items;
    expect(itself).toMatchObject({ standing: 'paused', needsAttention: true, pausedItself: true, runId });
    await subject.addEvent(runId, 'pausing');
    const [byHand] = (await subject.lists.page({}, undefined, 'newest', 10, null)).items;
    expect(byHand).toMatchObject({ needsAttention: false, pausedItself: false });
  });

  it('marks a campaign while a step of its run is on hold', async () => {
    const runId = await addRun(await create('held'), 'running');
    const feedId = await subject.rows.addFeed(runId, { country: 'SG' });
    await subject.rows.addHold(feedId, { step: 1, cause: '405', batches: 3, ageMs: 1000 });
    expect(await namesOf({}, 'needs-attention')).toEqual(['held']);
  });

  it('marks a campaign whose users wait for an open circuit breaker, and then has another version', async () => {
    const runId = await addRun(await create('waits'), 'running');
    await addRun(await create('goes on'), 'running');
    const before = await subject.lists.changeMark();
    await subject.rows.addOpenBreaker(runId, { step: 1, country: 'VN', cause: '503 Service Unavailable' });
    expect(await namesOf({}, 'needs-attention')).toEqual(['waits']);
    expect(await subject.lists.changeMark()).not.toBe(before);
  });

  it('shows the unfinished run of a campaign, or the newest if all have ended', async () => {
    const campaignId = await create('twice');
    const goesOn = await addRun(campaignId, 'running');
    await addRun(campaignId, 'completed', { endedAt: await subject.now() });
    expect((await subject.lists.page({}, undefined, 'newest', 10, null)).items[0]).toMatchObject({
      runId: goesOn,
      standing: 'running',
    });
    const other = await create('ended twice');
    await addRun(other, 'completed', { endedAt: await subject.now() });
    const newest = await addRun(other, 'failed', { endedAt: await subject.now() });
    expect((await subject.lists.page({}, undefined, 'newest', 1, null)).items[0]?.runId).toBe(newest);
  });

  it('is searched by part of the name, by id, by country and by action', async () => {
    const odd = await create('100 % of_riders \\ "all"');
    await create('100 riders', { countries: ['VN'], chain: [{ action: 'send-message', params: {} }] });
    expect(await namesOf({ text: '% OF_' })).toEqual(['100 % of_riders \\ "all"']);
    expect(await namesOf({ text: '\\' })).toHaveLength(1);
    expect(await namesOf({ text: '100%' })).toEqual([]);
    expect(await namesOf({ campaignId: odd })).toEqual(['100 % of_riders \\ "all"']);
    expect(await namesOf({ country: 'VN' })).toEqual(['100 riders']);
    expect(await namesOf({ action: 'award-reward' })).toEqual(['100 % of_riders \\ "all"']);
  });

  it('has pages, newest first, with each campaign once, even if campaigns are created meanwhile', async () => {
    const ids = [await create('1'), await create('2'), await create('3'), await create('4')].toReversed();
    const campaigns = await Promise.all(ids.map((id) => subject.campaigns.get(id)));
    const first = await subject.lists.page({}, undefined, 'newest', 2, null);
    await create('5');
    const second = await subject.lists.page({}, undefined, 'newest', 2, first.next);

    expect([...first.items, ...second.items].map(({ campaign }) => campaign)).toEqual(campaigns);
    // A last page without free places has no next page.
    expect(second.next).toBeNull();
  });

  it('has one campaign if the same id is created twice', async () => {
    const campaignId = await create('once');
    await subject.campaigns.create(campaignDefinitionOf({ name: 'once' }), campaignId);
    expect(await namesOf()).toEqual(['once']);
  });

  it('has pages ordered by state: campaigns that need attention first, drafts last', async () => {
    await addOneOfEach();
    const names: string[] = [];
    let after = null;
    for (let page = 0; page < 4; page++) {
      const { items, next } = await subject.lists.page({}, undefined, 'state', 2, after);
      names.push(...items.map(({ campaign }) => campaign.definition.name));
      after = next;
    }
    expect(after).toBeNull();
    expect(names).toEqual(['failed', 'stalled', 'running', 'paused', 'scheduled', 'ended', 'long failed', 'draft']);
  });

  it('reads many runs in one query with the same result as each run alone', async () => {
    const runIds = [await addRun(await create('one'), 'running'), await addRun(await create('two'), 'running')];
    for (const runId of runIds) {
      const feedId = await subject.rows.addFeed(runId, { country: 'SG', fedUsers: 10, fedBatches: 1 });
      await subject.rows.addTotals(feedId, 0, { step: 1, batches: 1, succeeded: 7, failed: 3 });
    }
    const together = await subject.reports.snapshots(runIds);
    const alone = await Promise.all(runIds.map((runId) => subject.reports.snapshot(runId)));
    const timeless = (all: readonly object[]) => all.map((each) => ({ ...each, asOf: null }));
    expect(timeless(together.toSorted((a, b) => (a.runId < b.runId ? -1 : 1)))).toEqual(
      timeless(alone.flatMap((each) => each ?? [])),
    );
    expect(await subject.reports.snapshots([])).toEqual([]);
  });
});

describe('descriptions of campaigns', () => {
  it('are searched by indexes, so that no search reads all descriptions', async () => {
    await database.empty();
    const client = await database.pool.connect();
    const plan = async (condition: string) =>
      JSON.stringify((await client.query(`explain select id from campaigns where ${condition}`)).rows);
    try {
      await client.query('begin; set local enable_seqscan = off');
      expect(await plan(`about @> '{"tags":["x"]}'`)).toContain('campaigns_about');
      expect(await plan(`description_words @@ to_tsquery('simple', '''x'':*')`)).toContain(
        'campaigns_description_words',
      );
    } finally {
      await client.query('rollback');
      client.release();
    }
  });

  it('are not a part of revisions', async () => {
    const { campaigns } = await makeSubject();
    const { campaignId } = await campaigns.create(campaignDefinitionOf(), undefined, null, { owner: 'growth' });
    await campaigns.describe(campaignId, { before: { owner: 'growth' }, after: { tags: ['payday'] } });
    const { rows } = await database.pool.query('select definition from revisions');
    expect(rows).toEqual([{ definition: campaignDefinitionOf() }]);
  });
});
