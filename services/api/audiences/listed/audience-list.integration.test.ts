import { beforeEach, describe, expect, it } from 'vitest';
import { uploadedAudience } from '../../../../shared/contracts/campaigns/uploaded-audiences.ts';
import { campaign } from '../../../../shared/contracts/campaigns/campaigns.ts';
import { audienceCounts, audienceList } from '../../../../shared/contracts/campaigns/audiences.ts';
import { savedAudience } from '../../../../shared/contracts/campaigns/saved-audiences.ts';
import type { SegmentList } from '../../../../shared/ports/segmentation.ts';
import { publicId, uuidOf } from '../../../../shared/domain/ids/ids.ts';
import { authorized, someCampaign } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { createAudienceDirectory } from './audience-directory.ts';
import { createListedAudienceStore } from './postgres/listed-audience-store.ts';

const on = apiOnPostgres();

const list = async (query = '') => audienceList.parse((await on.ask('GET', `/v1/audiences${query}`)).json());
const counts = async (query = '') => audienceCounts.parse((await on.ask('GET', `/v1/audiences/counts${query}`)).json());
const idsOf = async (query = '') => (await list(query)).items.map(({ id }) => id);
const usesOf = async (query = '') =>
  (await list(query)).items.map(({ id, usedBy, excludedBy }) => [id, usedBy, excludedBy]);

async function write(audience: object, fields: object = {}) {
  const answer = await on.ask('POST', '/v1/campaigns', { ...someCampaign, ...fields, audience });
  expect(answer.statusCode, answer.body).toBe(201);
  return campaign.parse(answer.json());
}

async function upload(name: string, payload = 'a\nb\n') {
  const answer = await on.api.server.inject({
    method: 'POST',
    url: `/v1/audiences/upload?name=${encodeURIComponent(name)}&country=SG&acceptRejected=2`,
    payload,
    headers: { ...authorized, 'content-type': 'text/csv' },
  });
  return uploadedAudience.parse(answer.json()).id;
}

async function save(name: string, audience: object) {
  const fields = { name, owner: 'growth', countries: ['SG'], audience };
  return savedAudience.parse((await on.ask('POST', '/v1/audiences', fields)).json()).id;
}

const riders = { include: [{ segment: 'riders' }] };

describe('the list of lists, segments and saved audiences', () => {
  it('is sorted by the number of campaigns that use a source, and for equal numbers newest first', async () => {
    const vip = await upload('VIP');
    const partners = await upload('partners.csv');
    const saved = await save('Lapsed riders', riders);
    await write({ include: [{ segment: 'riders' }], exclude: [{ list: vip }] }, { name: 'first' });
    const second = await write({ include: [{ list: vip }] }, { name: 'second' });
    await write(riders, { savedAudience: { id: saved, revision: 1 }, name: 'third' });
    expect(await usesOf()).toEqual([
      ['riders', 2, 0],
      [vip, 2, 1],
      [saved, 1, 0],
      [partners, 0, 0],
    ]);
    const { items } = await list();
    expect(items.map(({ kind }) => kind)).toEqual(['segment', 'list', 'saved', 'list']);
    expect(items[1]).toMatchObject({
      name: 'VIP',
      countries: ['SG'],
      state: 'ready',
      rejected: 0,
      owner: 'a test',
      audience: null,
      latestUse: { campaignId: second.id, name: 'second' },
      links: { self: `/v1/audiences/${vip}`, campaigns: `/v1/campaigns?list=${vip}` },
    });
    expect(items[2]).toMatchObject({ name: 'Lapsed riders', owner: 'growth', countries: ['SG'], audience: riders });
    expect(items[2]?.revision).toBe(1);
    expect(items[0]).toMatchObject({ name: 'riders', size: null, createdAt: null, links: { self: null } });
  });

  it('shows each source once over all pages, even if many sources have the same number of uses', async () => {
    const ids = [await upload('1'), await upload('2'), await upload('3')].toReversed();
    await write(riders);
    const first = await list('?limit=2');
    expect(first.items.map(({ id }) => id)).toEqual(['riders', ids[0]]);
    await upload('4');
    const second = await list(`?limit=2&cursor=${first.next ?? ''}`);
    expect([second.items.map(({ id }) => id), second.next]).toEqual([ids.slice(1), null]);
  });

  it('is filtered by kind, by part of name, owner or id, and by unresolved problems', async () => {
    const bad = await upload('Bad lines', 'a\n\u0001\n');
    const free = await upload('Riders of the year');
    const saved = await save('Gold', riders);
    await write(riders);
    await on.deps.savedAudiences.delete(uuidOf('savedAudience', await save('gone', riders)) ?? '');
    expect(await idsOf('?kind=list')).toEqual([free, bad]);
    expect(await idsOf('?kind=saved')).toEqual([saved]);
    expect(await idsOf('?q=RIDER')).toEqual(['riders', free]);
    expect(await idsOf('?q=growth')).toEqual([saved]);
    expect(await idsOf('?q=%25')).toEqual([]);
    expect(await idsOf('?rejected=true')).toEqual([bad]);
    expect(await idsOf('?used=true')).toEqual(['riders']);
    expect(await idsOf('?used=false')).toEqual([saved, free, bad]);
    expect(await idsOf('?state=failed')).toEqual([]);
    expect(await idsOf(`?kind=list&id=${bad}`)).toEqual([bad]);
    expect(await idsOf('?id=riders')).toEqual(['riders']);
    const none = { withRejects: 0, failed: 0 };
    expect(await counts()).toEqual({ ...none, all: 4, lists: 2, segments: 1, saved: 1, withRejects: 1, notUsed: 3 });
    expect(await counts('?q=rider')).toEqual({ ...none, all: 2, lists: 1, segments: 1, saved: 0, notUsed: 1 });
  });

  it.each(['cursor=QUJD', 'cursor=WyJuIiwtMSwwXQ', 'kind=run', 'country=sg', 'limit=500', 'q=%00'])(
    'refuses %s',
    async (query) => {
      const answer = await on.ask('GET', `/v1/audiences?${query}`);
      expect([answer.statusCode, answer.json<{ errors: object[] }>().errors.length]).toEqual([422, 1]);
    },
  );
});

describe('the number of campaigns that use a source', () => {
  it('changes with drafts, archived and restored campaigns, and deletions', async () => {
    const vip = await upload('VIP');
    const draft = await write({ include: [{ segment: 'riders' }, { list: vip }] });
    expect(await usesOf()).toEqual([
      ['riders', 1, 0],
      [vip, 1, 0],
    ]);
    const changed = await on.ask('PATCH', draft.links.self, {
      audience: { include: [{ segment: 'drivers' }], exclude: [{ list: vip }] },
    });
    expect(changed.statusCode, changed.body).toBe(200);
    const now = [
      ['drivers', 1, 0],
      [vip, 1, 1],
    ];
    expect(await usesOf()).toEqual(now);
    await on.ask('POST', `${draft.links.self}/archive`);
    expect(await usesOf()).toEqual([[vip, 0, 0]]);
    await on.ask('POST', `${draft.links.self}/unarchive`);
    expect(await usesOf()).toEqual(now);
    expect((await on.ask('DELETE', draft.links.self)).statusCode).toBe(204);
    expect(await usesOf()).toEqual([[vip, 0, 0]]);
  });

  it('is not stored for a deleted source without uses', async () => {
    const vip = await upload('VIP');
    const draft = await write({ include: [{ list: vip }] });
    expect((await on.ask('DELETE', `/v1/audiences/${vip}`)).statusCode).toBe(204);
    expect(await idsOf()).toEqual([]);
    await on.ask('DELETE', draft.links.self);
    const { rows } = await on.pool.query('select kind from named_audiences union all select kind from audience_uses');
    expect(rows).toEqual([]);
  });

  it('is one for a campaign that both includes and excludes the source', async () => {
    await write({ include: [{ segment: 'riders' }], exclude: [{ segment: 'riders' }] });
    expect(await usesOf()).toEqual([['riders', 1, 0]]);
  });

  it('is correct after many concurrent writes by single or multiple statements', async () => {
    await Promise.all(
      Array.from({ length: 12 }, (_, i) => {
        const pair = [{ segment: 'a' }, { segment: 'b' }];
        return write({ include: i % 2 === 0 ? pair : pair.toReversed() });
      }),
    );
    await on.pool.query(`insert into campaigns (id, name, state, revision)
      select uuidv7(), 'campaign ' || n, 'draft', 1 from generate_series(1, 50) n`);
    await on.pool.query(`insert into revisions (campaign, revision, definition)
      select id, 1, '{"audience": {"include": [{"segment": "a"}]}}' from campaigns where name like 'campaign %'`);
    expect(await usesOf()).toEqual([
      ['a', 62, 0],
      ['b', 12, 0],
    ]);
  });

  it('is read from an index in the order of the list', async () => {
    await on.pool.query(`insert into audiences (id, name, state, attempt)
      select uuidv7(), 'list ' || n, 'ready', uuidv7() from generate_series(1, 2000) n`);
    await on.pool.query('analyze named_audiences, audiences');
    const plan = async (condition: string) => {
      const { rows } = await on.pool.query<{ 'QUERY PLAN': string }>(
        `explain select source from named_audiences n where n.is_available ${condition}
         order by n.uses desc, n.seq desc limit 20`,
      );
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    };
    expect(await plan('and (n.uses, n.seq) < (3, 7)')).toContain('named_audiences_by_use');
    expect(await plan(`and n.kind = 'list'`)).toMatch(/named_audiences_(of_kind|by_use)/);
    expect(await plan('')).not.toContain('Sort');
  });
});

describe('the size of a source', () => {
  it('is the size of a list, an exact count, or the estimate from the time when a saved audience was saved', async () => {
    const vip = await upload('VIP');
    const saved = await save('Lapsed riders', { include: [{ segment: 'riders' }, { list: vip }] });
    await write(riders);
    const sizes = async () => (await list()).items.map(({ id, size }) => [id, size]);
    const asOf = on.deps.clock.now().toISOString();
    const ofList = { atLeast: 2, atMost: 2, exact: true, asOf, countId: null, countries: ['SG'] };
    expect(await sizes()).toEqual([
      ['riders', null],
      [vip, ofList],
      [saved, { ...ofList, atLeast: 1000, atMost: 1002, exact: false }],
    ]);
    await addCount({ countries: ['SG'], audience: riders }, 899);
    const ofRiders = await addCount({ countries: ['SG'], audience: riders }, 900);
    await addCount({ countries: ['SG'], audience: riders, with: riders }, 1);
    const both = { include: [{ segment: 'riders' }, { list: vip }] };
    const ofBoth = await addCount({ countries: ['SG'], audience: both }, 901);
    await addCount({ countries: ['ID'], audience: both }, 5);
    const exact = (users: number, countId: string) => ({ ...ofList, atLeast: users, atMost: users, countId });
    expect(await sizes()).toEqual([
      ['riders', exact(900, ofRiders)],
      [vip, ofList],
      [saved, exact(901, ofBoth)],
    ]);
  });

  it('is never the size of an earlier revision of a saved audience', async () => {
    const saved = await save('Lapsed riders', riders);
    await addCount({ countries: ['SG'], audience: riders }, 900);
    const audience = { include: [{ segment: 'drivers' }], holdOutPercent: 5 };
    expect((await on.ask('PATCH', `/v1/audiences/${saved}`, { audience })).statusCode).toBe(200);
    expect((await list('?kind=saved')).items[0]?.size).toMatchObject({ atMost: 1000, exact: false });
    await addCount({ countries: ['SG'], audience: { include: [{ segment: 'drivers' }] } }, 4);
    expect((await list('?kind=saved')).items[0]?.size).toMatchObject({ atMost: 4, exact: true });
  });

  let added = 0;

  /** Stores a finished count. Each count ends one minute after the previous one. */
  async function addCount(question: object, users: number) {
    const line = { country: 'SG', done: true, users, excluded: 0, shared: 0, withUsers: null, both: null };
    const { rows } = await on.pool.query<{ id: string }>(
      `insert into audience_counts (id, account, requested_by, request, key, state, countries, started_at, ended_at)
       values (uuidv7(), uuidv7(), uuidv7(), $1, 'k', 'done', $2, now(), now() + $3 * interval '1 minute')
       returning id`,
      [question, JSON.stringify([line]), added++],
    );
    return publicId('audienceCount', rows[0]?.id ?? '');
  }
});

describe('the list with a segmentation service that offers a list of segments', () => {
  let offered: string[];
  let answerless = false;
  let requests = 0;
  const directory = () =>
    createAudienceDirectory({
      segmentation: { list: answer },
      listedAudiences: createListedAudienceStore(on.deps),
      clock: on.deps.clock,
    });

  /** Returns three segments at a time, whatever limit is requested. */
  const answer: SegmentList['list'] = ({ after }) => {
    requests++;
    if (answerless)
      return Promise.resolve({ ok: false, failure: { kind: 'unavailable', cause: 'HTTP 503', retryAfterMs: null } });
    const from = after === null ? 0 : Number(after);
    const segments = offered.slice(from, from + 3).map((id) => ({ id, name: `The ${id}`, estimate: 7 }));
    return Promise.resolve({
      ok: true,
      value: { segments, next: from + 3 < offered.length ? String(from + 3) : null },
    });
  };

  beforeEach(() => {
    requests = 0;
    answerless = false;
    offered = ['riders', 'drivers', 'staff', 'gold', 'silver'];
  });

  async function allPages(limit: number) {
    const pages: string[][] = [];
    const { list: page } = directory();
    let cursor: string | undefined;
    do {
      const { items, next } = await page({}, limit, cursor);
      pages.push(items.map(({ id }) => id));
      cursor = next ?? undefined;
    } while (cursor !== undefined);
    return pages;
  }

  it('has unused segments at its end, in the order of the service, over all pages', async () => {
    await write({ include: [{ segment: 'staff' }], exclude: [{ segment: 'gold' }] });
    await write({ include: [{ segment: 'gold' }] });
    const vip = await upload('VIP');
    expect(await allPages(2)).toEqual([
      ['gold', 'staff'],
      [vip, 'riders'],
      ['drivers', 'silver'],
    ]);
    expect(await allPages(3)).toEqual([
      ['gold', 'staff', vip],
      ['riders', 'drivers', 'silver'],
    ]);
  });

  it('has the names and sizes from the service, with one request for each page', async () => {
    await write(riders);
    const { items } = await directory().list({}, 3, undefined);
    expect(items.map(({ id, name, usedBy, size }) => [id, name, usedBy, size?.atMost])).toEqual([
      ['riders', 'The riders', 1, 7],
      ['drivers', 'The drivers', 0, 7],
      ['staff', 'The staff', 0, 7],
    ]);
    expect(requests).toBe(2);
  });

  it('shows the uses of a segment even if only the service finds it, by its name', async () => {
    await write(riders);
    const { items } = await directory().list({ text: 'the ' }, 10, undefined);
    expect(items.map(({ id, usedBy }) => [id, usedBy]).slice(0, 2)).toEqual([
      ['riders', 1],
      ['drivers', 0],
    ]);
  });

  it('finds the segment with the given id among several whose names contain the id', async () => {
    offered = ['gold-riders', 'gold', 'gold-drivers'];
    const { items, next } = await directory().list({ kind: 'segment', id: 'gold' }, 1, undefined);
    expect([items.map(({ id }) => id), next]).toEqual([['gold'], null]);
  });

  it('has correct pages if the service returns all segments at once', async () => {
    await write({ include: [{ segment: 'riders' }, { segment: 'other' }] });
    expect(await directory().counts({})).toMatchObject({ all: null, segments: null });
    offered = ['riders', 'drivers'];
    expect(await directory().counts({})).toMatchObject({ all: 3, segments: 3 });
  });

  it('reports that the service is unavailable, and still has the sources that campaigns use', async () => {
    answerless = true;
    await write(riders);
    const { items, next, unavailable } = await directory().list({}, 10, undefined);
    expect([items.map(({ id }) => id), next]).toEqual([['riders'], null]);
    expect(unavailable).toBe('the segmentation service does not answer: HTTP 503');
    expect(await directory().counts({})).toMatchObject({ all: 1, segments: 1 });
  });

  it('sends the service no request if the filter excludes unused segments', async () => {
    for (const search of [{ kind: 'list' as const }, { kind: 'saved' as const }, { isUsed: false }]) {
      await directory().list(search, 10, undefined);
    }
    expect(requests).toBe(0);
  });
});
