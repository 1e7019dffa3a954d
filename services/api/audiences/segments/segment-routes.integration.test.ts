import { beforeEach, describe, expect, it } from 'vitest';
import { segmentList } from '../../../../shared/contracts/campaigns/segments.ts';
import type { SegmentList, SegmentsAsked } from '../../../../shared/ports/segmentation.ts';
import { someCampaign } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { createSegmentDirectory } from './segment-directory.ts';
import { createUsedSegments } from './postgres/used-segments.ts';

const on = apiOnPostgres();

const list = async (query = '') => segmentList.parse((await on.ask('GET', `/v1/segments${query}`)).json());

async function write(audience: object, countries = ['SG']) {
  const answer = await on.ask('POST', '/v1/campaigns', { ...someCampaign, countries, audience });
  expect(answer.statusCode, answer.body).toBe(201);
}

describe('where the segmentation service offers no list', () => {
  beforeEach(async () => {
    await write({ include: [{ segment: 'riders' }], exclude: [{ segment: 'staff' }] });
    await write({ include: [{ segment: 'riders' }] }, ['ID', 'VN']);
    await write({ include: [{ segment: 'Drivers 100%' }] });
  });

  it('segments are those that campaigns name, each with its countries and how many use it', async () => {
    const { items, next, from, unavailable } = await list();
    expect(items.map(({ id, countries, usedBy, estimate }) => [id, countries, usedBy, estimate])).toEqual([
      ['Drivers 100%', ['SG'], 1, null],
      ['riders', ['ID', 'SG', 'VN'], 2, null],
      ['staff', ['SG'], 1, null],
    ]);
    expect([next, from, unavailable]).toEqual([null, 'earlier-campaigns', null]);
  });

  it('they are searched, by country too, and paged', async () => {
    const idsOf = async (query: string) => (await list(query)).items.map(({ id }) => id);
    expect(await idsOf('?q=RID')).toEqual(['riders']);
    expect(await idsOf(`?q=${encodeURIComponent('0%')}`)).toEqual(['Drivers 100%']);
    expect(await idsOf('?country=VN')).toEqual(['riders']);
    const first = await list('?limit=2');
    expect(first.items.map(({ id }) => id)).toEqual(['Drivers 100%', 'riders']);
    expect(await idsOf(`?limit=2&cursor=${first.next ?? ''}`)).toEqual(['staff']);
  });

  it('the campaigns that name one are listed by it', async () => {
    const named = async (segment: string) =>
      (await on.ask('GET', `/v1/campaigns?segment=${segment}`)).json<{ items: object[] }>().items.length;
    expect([await named('riders'), await named('staff'), await named('nobody')]).toEqual([2, 1, 0]);
  });

  it.each(['cursor=QUJD', 'country=sg', 'limit=500', 'q=%00'])('%s is refused', async (query) => {
    const answer = await on.ask('GET', `/v1/segments?${query}`);
    expect([answer.statusCode, answer.json<{ errors: object[] }>().errors.length]).toEqual([422, 1]);
  });
});

describe('where it offers one', () => {
  const asked: SegmentsAsked[] = [];
  let answer: Awaited<ReturnType<SegmentList['list']>>;
  const directory = () =>
    createSegmentDirectory({
      segmentation: {
        list: (what) => {
          asked.push(what);
          return Promise.resolve(answer);
        },
      },
      usedSegments: createUsedSegments(on.deps),
      clock: on.deps.clock,
    });
  const offers = { id: 'riders', name: 'Lapsed riders', countries: ['SG'], estimate: 4 };
  const away = { ok: false, failure: { kind: 'unavailable', cause: 'HTTP 503', retryAfterMs: null } } as const;

  beforeEach(async () => {
    asked.length = 0;
    answer = { ok: true, value: { segments: [offers, { id: 'x' }], next: 'x' } };
    await write({ include: [{ segment: 'riders' }] });
  });

  it('it is passed on, with how many campaigns name each, and pages go on where it says', async () => {
    const segments = directory();
    const first = await segments.list({ text: 'rid', country: 'SG', limit: 2 });
    expect(first.items).toEqual([
      { ...offers, description: null, usedBy: 1, usedBySaved: 0 },
      { id: 'x', name: 'x', description: null, countries: null, estimate: null, usedBy: 0, usedBySaved: 0 },
    ]);
    expect(first.from).toBe('segmentation');
    await segments.list({ text: 'rid', country: 'SG', limit: 2, cursor: first.next ?? '' });
    expect(asked).toEqual([
      { search: 'rid', country: 'SG', limit: 2, after: null },
      { search: 'rid', country: 'SG', limit: 2, after: 'x' },
    ]);
  });

  it('the same is not asked again for half a minute', async () => {
    const segments = directory();
    await Promise.all([segments.list({ limit: 2 }), segments.list({ limit: 2 })]);
    on.deps.clock.advance(29_000);
    await segments.list({ limit: 2 });
    expect(asked).toHaveLength(1);
    on.deps.clock.advance(2000);
    await segments.list({ limit: 2 });
    expect(asked).toHaveLength(2);
  });

  it('a service that is away is said, is not asked by everybody, and earlier campaigns stand in for it', async () => {
    answer = away;
    const segments = directory();
    const found = await segments.list({ limit: 2 });
    expect(found).toMatchObject({ from: 'earlier-campaigns', next: null });
    expect(found.unavailable).toBe('the segmentation service does not answer: HTTP 503');
    expect(found.items.map(({ id }) => id)).toEqual(['riders']);
    await segments.list({ limit: 2 });
    expect(asked).toHaveLength(1);
    answer = { ok: true, value: { segments: [offers], next: null } };
    on.deps.clock.advance(6000);
    expect(await segments.list({ limit: 2 })).toMatchObject({ from: 'segmentation', unavailable: null });
  });
});
