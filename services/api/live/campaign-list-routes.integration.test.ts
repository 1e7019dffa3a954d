import { describe, expect, it } from 'vitest';
import { campaignCounts, listedCampaign } from '../../../shared/contracts/runs/campaign-lists.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { campaignDefinitionOf } from '../../../test/support/conformance/run-rows.ts';
import { authorized } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { problem } from '../frame/problems.contract.ts';

const on = apiOnPostgres();

const get = (url: string) => on.api.server.inject({ method: 'GET', url, headers: authorized });
const list = async (query = '') => pageShape(listedCampaign).parse((await get(`/v1/campaigns${query}`)).json());
const create = async (name: string) => (await on.deps.campaigns.create(campaignDefinitionOf({ name }))).campaignId;

/** Creates a run with 100 users in SG, of which 90 have completed step 1 and 60 step 2. */
async function addRun(campaignId: string) {
  const startedAt = new Date(on.deps.clock.nowMs() - 60_000);
  const scheduledFor = startedAt;
  const runId = await on.deps.rows.addRun({ campaignId, revision: 1, scheduledFor, state: 'running', startedAt });
  const feedId = await on.deps.rows.addFeed(runId, {
    country: 'SG',
    fedUsers: 100,
    fedBatches: 1,
    complete: true,
    estimate: 100,
    stalled: 'the segment does not answer',
  });
  await on.deps.rows.addTotals(feedId, 0, { step: 1, batches: 1, succeeded: 90, failed: 8, unknown: 2 });
  await on.deps.rows.addTotals(feedId, 0, { step: 2, batches: 1, succeeded: 60, failed: 5 });
  return runId;
}

/**
 * Stores a worker's report that it serves these action types in SG. Without such a report, no end of a run is
 * estimated.
 */
const serve = (...actionTypes: string[]) =>
  on.pool.query(
    `insert into shard_reports (worker, action_type, country, in_flight, call_limit, waiting, breaker_open,
       batches_per_second)
     select 'w', action_type, 'SG', 0, 8, 0, false, 0 from unnest($1::text[]) as types (action_type)`,
    [actionTypes],
  );

describe('the list of campaigns', () => {
  it('shows the active run of each campaign: outcomes of its last step, failures, expected end and causes of waiting', async () => {
    const draft = await create('a draft');
    const campaignId = await create('riders');
    const runId = await addRun(campaignId);
    expect((await list()).items[0]?.run?.eta).toBeNull();
    await serve('award-reward', 'send-message');

    const { items } = await list();

    expect(items.map(({ id, standing, needsAttention }) => [id, standing, needsAttention])).toEqual([
      [publicId('campaign', campaignId), 'running', true],
      [publicId('campaign', draft), 'draft', false],
    ]);
    expect(items[1]?.run).toBeNull();
    expect(items[0]?.run).toMatchObject({
      runId: publicId('run', runId),
      state: 'running',
      stalled: 'the segment does not answer',
      lastStep: { step: 2, audience: 100, succeeded: 60, failed: 5, skipped: 10, pending: 25 },
      failedUsers: 13,
      unknownUsers: 2,
      usersPerSecond: { oneMinute: 2.8 },
    });
    expect(items[0]?.run?.eta).not.toBeNull();
  });

  it('is searched, counted and paged by the server', async () => {
    const ids = [];
    for (const name of ['riders one', 'drivers', 'riders two']) ids.push(await create(name));
    await addRun(ids[0] ?? '');

    const first = await list('?q=RIDERS&sort=state&limit=1');
    const second = await list(`?q=RIDERS&sort=state&limit=1&cursor=${first.next ?? ''}`);

    expect([first, second].flatMap(({ items }) => items.map(({ name }) => name))).toEqual(['riders one', 'riders two']);
    expect(second.next).toBeNull();
    expect((await list(`?q=${publicId('campaign', ids[1] ?? '')}`)).items.map(({ name }) => name)).toEqual(['drivers']);
    const counts = campaignCounts.parse((await get('/v1/campaigns/counts?q=riders')).json());
    expect(counts).toEqual({
      all: 2,
      needsAttention: 1,
      running: 1,
      paused: 0,
      scheduled: 0,
      ended: 0,
      draft: 1,
      archived: 0,
    });
    expect((await list('?state=needs-attention')).items.map(({ name }) => name)).toEqual(['riders one']);
  });

  it('orders scheduled campaigns by time, whatever the order of their creation', async () => {
    const planned = async (name: string, time: string) => {
      const definition = { ...campaignDefinitionOf({ name }), schedule: { type: 'at', time } as const };
      const id = publicId('campaign', (await on.deps.campaigns.create(definition)).campaignId);
      const started = await on.api.server.inject({
        method: 'POST',
        url: `/v1/campaigns/${id}/start`,
        headers: authorized,
      });
      expect(started.statusCode).toBe(200);
    };
    await planned('in December', '2026-12-11T09:00:00Z');
    await planned('in March', '2026-03-01T09:00:00Z');
    await create('a draft');
    await planned('in August', '2026-08-19T09:00:00Z');
    const pagesBy = async (sort: string) => {
      const names = [];
      let next: string | null = '';
      while (next !== null) {
        const page: Awaited<ReturnType<typeof list>> = await list(
          `?sort=${sort}&limit=1${next === '' ? '' : `&cursor=${next}`}`,
        );
        names.push(...page.items.map(({ name }) => name));
        next = page.next;
      }
      return names;
    };
    const byTime = ['in March', 'in August', 'in December', 'a draft'];
    expect(await pagesBy('state')).toEqual(byTime);
    expect(await pagesBy('next')).toEqual(byTime);
    expect(await pagesBy('name')).toEqual(['a draft', 'in August', 'in December', 'in March']);
    expect(await pagesBy('newest')).toEqual(['in August', 'a draft', 'in March', 'in December']);
  });

  it.each([
    'state=happy',
    'sort=colour',
    'sort=name&cursor=0-AA.cmp_01jdyjm7sbfx2v4x0000000000',
    'cursor=0-cmp_1',
    'sort=state&cursor=cmp_01jdyjm7sbfx2v4x0000000000',
    'search=x',
  ])('refuses %s', async (query) => {
    const response = await get(`/v1/campaigns?${query}`);
    expect([response.statusCode, problem.parse(response.json()).errors.length]).toEqual([422, 1]);
  });
});
