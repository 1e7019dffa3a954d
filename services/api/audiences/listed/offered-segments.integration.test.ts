import { beforeEach, describe, expect, it } from 'vitest';
import { audienceList } from '../../../../shared/contracts/campaigns/audiences.ts';
import type { SegmentList, SegmentsRequest } from '../../../../shared/ports/segmentation.ts';
import { someCampaign } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { createAudienceDirectory } from './audience-directory.ts';
import { createListedAudienceStore } from './postgres/listed-audience-store.ts';

const on = apiOnPostgres();

const list = async (query = '') =>
  audienceList.parse((await on.ask('GET', `/v1/audiences?kind=segment${query}`)).json());
const idsOf = async (query: string) => (await list(query)).items.map(({ id }) => id);

async function write(audience: object, countries = ['SG']) {
  const answer = await on.ask('POST', '/v1/campaigns', { ...someCampaign, countries, audience });
  expect(answer.statusCode, answer.body).toBe(201);
}

describe('segments if the segmentation service offers no list', () => {
  beforeEach(async () => {
    await write({ include: [{ segment: 'riders' }], exclude: [{ segment: 'staff' }] });
    await write({ include: [{ segment: 'riders' }] }, ['ID', 'VN']);
    await write({ include: [{ segment: 'Drivers 100%' }] });
  });

  it('are those that campaigns use, the most used first', async () => {
    const { items, next, segmentsFrom, unavailable } = await list();
    expect(items.map(({ id, countries, usedBy, size }) => [id, countries, usedBy, size])).toEqual([
      ['riders', null, 2, null],
      ['Drivers 100%', null, 1, null],
      ['staff', null, 1, null],
    ]);
    expect([next, segmentsFrom, unavailable]).toEqual([null, 'use', null]);
  });

  it('are found by a part of their id, and by the countries of the campaigns and saved audiences that use them', async () => {
    const audience = { include: [{ segment: 'staff' }] };
    const saved = { name: 'Staff abroad', countries: ['ID'], audience };
    expect((await on.ask('POST', '/v1/audiences', saved)).statusCode).toBe(201);
    expect(await idsOf('&q=RID')).toEqual(['riders']);
    expect(await idsOf(`&q=${encodeURIComponent('0%')}`)).toEqual(['Drivers 100%']);
    expect(await idsOf('&country=VN')).toEqual(['riders']);
    expect(await idsOf('&country=ID')).toEqual(['staff', 'riders']);
    expect(await idsOf('&country=SG')).toEqual(['staff', 'riders', 'Drivers 100%']);
  });

  it('link to the campaigns that use them', async () => {
    const named = async (segment: string) =>
      (await on.ask('GET', `/v1/campaigns?segment=${segment}`)).json<{ items: object[] }>().items.length;
    expect([await named('riders'), await named('staff'), await named('nobody')]).toEqual([2, 1, 0]);
  });
});

describe('a list filtered by country', () => {
  it('has the uploaded lists with users in the country, and the saved audiences for the country', async () => {
    const audience = { include: [{ segment: 'riders' }] };
    const save = (name: string, countries: string[]) => on.ask('POST', '/v1/audiences', { name, countries, audience });
    await save('Both', ['SG', 'ID']);
    await save('Singapore', ['SG']);
    await on.pool.query(
      `insert into audiences (id, name, state, users, attempt) values (uuidv7(), 'Jakarta', 'ready', '{"ID": 3}', uuidv7())`,
    );
    const namesIn = async (country: string) =>
      audienceList
        .parse((await on.ask('GET', `/v1/audiences?country=${country}`)).json())
        .items.map(({ name }) => name)
        .toSorted();
    expect(await namesIn('ID')).toEqual(['Both', 'Jakarta', 'riders']);
    expect(await namesIn('SG')).toEqual(['Both', 'Singapore', 'riders']);
    expect(await namesIn('VN')).toEqual([]);
  });
});

describe('segments if the segmentation service offers a list', () => {
  const requests: SegmentsRequest[] = [];
  let answer: Awaited<ReturnType<SegmentList['list']>>;
  const directory = () => {
    const page = createAudienceDirectory({
      segmentation: {
        list: (request) => {
          requests.push(request);
          return Promise.resolve(answer);
        },
      },
      listedAudiences: createListedAudienceStore(on.deps),
      clock: on.deps.clock,
    });
    return (country?: string) => page.list({ kind: 'segment', text: 'r', country }, 10, undefined);
  };
  const offers = { id: 'riders', name: 'Lapsed riders', countries: ['SG', 'ID'], estimate: 4 };
  const away = { ok: false, failure: { kind: 'unavailable', cause: 'HTTP 503', retryAfterMs: null } } as const;

  beforeEach(async () => {
    requests.length = 0;
    answer = { ok: true, value: { segments: [offers, { id: 'rx', countries: ['SG'], estimate: 2 }], next: null } };
    await write({ include: [{ segment: 'riders' }] });
  });

  it('have the names, countries and sizes from the service, and their uses in campaigns', async () => {
    const { items } = await directory()();
    const size = { atLeast: 4, atMost: 4, exact: false, asOf: null, countId: null, countries: ['SG', 'ID'] };
    expect(items).toMatchObject([
      { id: 'riders', name: 'Lapsed riders', countries: ['SG', 'ID'], usedBy: 1, size },
      { id: 'rx', name: 'rx', countries: ['SG'], usedBy: 0 },
    ]);
  });

  it('are requested with the country of the search, and so are their sizes', async () => {
    const { items } = await directory()('ID');
    expect(requests).toEqual([{ search: 'r', country: 'ID', limit: 200, after: null }]);
    // No campaign in the country uses the first segment, so both segments come from the service.
    expect(items.map(({ id, usedBy, size }) => [id, usedBy, size?.countries])).toEqual([
      ['riders', 1, ['ID']],
      ['rx', 0, ['ID']],
    ]);
    expect((await directory()('SG')).items.map(({ id, size }) => [id, size?.countries])).toEqual([
      ['riders', ['SG']],
      ['rx', ['SG']],
    ]);
  });

  it('are requested again only after half a minute', async () => {
    const segments = directory();
    await Promise.all([segments(), segments()]);
    on.deps.clock.advance(29_000);
    await segments();
    expect(requests).toHaveLength(1);
    on.deps.clock.advance(2000);
    await segments();
    expect(requests).toHaveLength(2);
  });

  it('are those that campaigns use while the service does not answer, without a new request for each search', async () => {
    answer = away;
    const segments = directory();
    const { items, next, segmentsFrom, unavailable } = await segments();
    expect(segmentsFrom).toBe('use');
    expect(items.map(({ id }) => id)).toEqual(['riders']);
    expect([next, unavailable]).toEqual([null, 'the segmentation service does not answer: HTTP 503']);
    await segments();
    expect(requests).toHaveLength(1);
    answer = { ok: true, value: { segments: [offers], next: null } };
    on.deps.clock.advance(6000);
    expect(await segments()).toMatchObject({ segmentsFrom: 'segmentation', unavailable: null });
  });
});
