import { beforeEach, describe, expect, it } from 'vitest';
import { someCampaign } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { problem } from '../../frame/problems.contract.ts';
import { createOptionDirectory } from './option-directory.ts';
import { optionList } from './option-list.contract.ts';
import type { OptionsAnswer, OptionsRequest } from './option-source.port.ts';
import { createActionTypeStore } from '../postgres/action-type-store.ts';
import { createUsedValues } from './postgres/used-values.ts';

const on = apiOnPostgres();
const path = '/v1/action-types/award-reward';
const list = async (query: string) => optionList.parse((await on.ask('GET', `${path}/options?${query}`)).json());
const valuesOf = async (query: string) => (await list(query)).items.map(({ value }) => value);

async function write(params: object, { countries = ['SG'], action = 'award-reward' } = {}) {
  const body = { ...someCampaign, countries, chain: [{ action, params }] };
  const answer = await on.ask('POST', '/v1/campaigns', body);
  expect(answer.statusCode, answer.body).toBe(201);
}

const describeParams = async (properties: object) =>
  expect((await on.ask('PATCH', path, { paramsSchema: { type: 'object', properties } })).statusCode).toBe(200);

describe('options of a parameter whose action type has no endpoint for options', () => {
  beforeEach(async () => {
    await write({ rewardId: 'ride-5', units: 2 }, { countries: ['SG', 'VN'] });
    await write({ rewardId: 'meal 100%', offer: { id: 'x' } });
    await write({ rewardId: 'ride-5' }, { countries: ['ID'] });
    await write({ rewardId: ['none'] });
    await write({ rewardId: 'of-another' }, { action: 'send-message' });
  });

  it('are the values of earlier campaigns, newest first, with their countries and their number of uses', async () => {
    const { items, more, from, unavailable } = await list('parameter=rewardId');
    expect(items).toEqual([
      { value: 'ride-5', label: null, description: null, countries: ['ID', 'SG', 'VN'], usedBy: 2 },
      { value: 'meal 100%', label: null, description: null, countries: ['SG'], usedBy: 1 },
    ]);
    expect([more, from, unavailable]).toEqual([false, 'earlier-campaigns', null]);
  });

  it('can be searched by text and country, and limited in number', async () => {
    expect(await valuesOf('parameter=rewardId&q=RIDE')).toEqual(['ride-5']);
    expect(await valuesOf(`parameter=rewardId&q=${encodeURIComponent('0%')}`)).toEqual(['meal 100%']);
    expect(await valuesOf('parameter=rewardId&country=VN')).toEqual(['ride-5']);
    expect(await list('parameter=rewardId&limit=1')).toMatchObject({ items: [{ value: 'ride-5' }], more: true });
  });

  it('include the values of variants', async () => {
    const variants = ['short', 'long'].map((name) => ({ name, weight: 5000, params: { rewardId: `of-${name}` } }));
    const chain = [{ action: 'award-reward', params: { rewardId: 'replaced' }, variants }];
    expect((await on.ask('POST', '/v1/campaigns', { ...someCampaign, chain })).statusCode).toBe(201);
    expect(await valuesOf('parameter=rewardId&q=of-')).toEqual(['of-long', 'of-short']);
  });

  it('are numbers if the parameter is a number, also for nested parameters', async () => {
    expect(await valuesOf('parameter=/units')).toEqual([2]);
    expect(await valuesOf('parameter=/offer/id')).toEqual(['x']);
    expect(await valuesOf('parameter=nothing')).toEqual([]);
  });

  it('are refused for a parameter that the schema does not have, and the problem lists the known parameters', async () => {
    await describeParams({ rewardId: { type: 'string' }, tags: { type: 'array' } });
    expect(await valuesOf('parameter=rewardId')).toHaveLength(2);
    const answer = await on.ask('GET', `${path}/options?parameter=tags`);
    expect(answer.statusCode).toBe(422);
    const detail = 'names no text or number that award-reward accepts: known are /rewardId, not "tags"';
    expect(problem.parse(answer.json()).errors).toEqual([{ pointer: '/parameter', code: 'unknown-parameter', detail }]);
  });

  it.each([
    '',
    'parameter=',
    'parameter=a&country=sg',
    'parameter=a&limit=500',
    'parameter=a&q=%00',
    'parameter=a&x=1',
  ])('are refused for the query %j', async (query) => {
    const answer = await on.ask('GET', `${path}/options?${query}`);
    expect([answer.statusCode, answer.json<{ errors: object[] }>().errors.length]).toEqual([422, 1]);
  });

  it('are refused for an unknown action type', async () => {
    expect((await on.ask('GET', '/v1/action-types/nothing/options?parameter=a')).statusCode).toBe(404);
  });
});

describe('options of a parameter whose action type has an endpoint for options', () => {
  const requests: OptionsRequest[] = [];
  let answer: OptionsAnswer;
  const free = { value: 'ride-free', label: 'Free ride', description: 'One ride', countries: ['SG'] };
  const page = (options: { value: string | number }[]): OptionsAnswer => ({ ok: true, page: { options, more: false } });

  beforeEach(async () => {
    requests.length = 0;
    answer = page([free, { value: 'ride-5' }]);
    await write({ rewardId: 'ride-5' });
    await describeParams({
      rewardId: { type: 'string', 'x-options': '/v1/rewards?kind=all' },
      units: { type: 'integer', 'x-options': '/v1/units' },
    });
  });

  const ofTeam = () =>
    createOptionDirectory({
      optionSource: {
        fetch: (request) => {
          requests.push(request);
          return Promise.resolve(answer);
        },
      },
      usedValues: createUsedValues(on.deps),
      clock: on.deps.clock,
    });
  async function search(directory: ReturnType<typeof ofTeam>, more: object = {}) {
    const type = await createActionTypeStore(on.deps).get('award-reward');
    if (!type) throw new Error('it is gone');
    return directory.list({ type, parameter: 'rewardId', limit: 10, ...more });
  }

  it('are returned in the order of the endpoint, each with the number of campaigns that use the value', async () => {
    expect(await search(ofTeam(), { text: 'rid', country: 'SG' })).toEqual({
      items: [
        { ...free, usedBy: 0 },
        { value: 'ride-5', label: null, description: null, countries: null, usedBy: 1 },
      ],
      more: false,
      from: 'endpoint',
      unavailable: null,
    });
    expect(requests.map(({ url, country, search: text, limit }) => [url.href, country, text, limit])).toEqual([
      ['http://rewards.test/v1/rewards?kind=all', 'SG', 'rid', 10],
    ]);
  });

  it('are cached for half a minute, unless the action type changes', async () => {
    const directory = ofTeam();
    await Promise.all([search(directory), search(directory)]);
    on.deps.clock.advance(29_000);
    await search(directory);
    expect(requests).toHaveLength(1);
    await search(directory, { text: 'other' });
    expect(requests).toHaveLength(2);
    on.deps.clock.advance(2000);
    await search(directory);
    expect(requests).toHaveLength(3);
    await on.ask('PATCH', path, { timeoutMs: 900 });
    await search(directory);
    expect(requests).toHaveLength(4);
  });

  it('are cut at the requested limit, and the response says that more exist', async () => {
    answer = page(Array.from({ length: 5000 }, (_, index) => ({ value: `reward-${index}` })));
    const found = await search(ofTeam());
    expect([found.items.length, found.more]).toEqual([10, true]);
  });

  it('are for some seconds after a failed request values of earlier campaigns, with the reason', async () => {
    answer = { ok: false, cause: 'HTTP 503' };
    const directory = ofTeam();
    const found = await search(directory);
    expect(found).toMatchObject({ items: [{ value: 'ride-5', usedBy: 1 }], from: 'earlier-campaigns' });
    expect(found.unavailable).toBe('its options could not be loaded: HTTP 503');
    await search(directory);
    expect(requests).toHaveLength(1);
    answer = page([free]);
    on.deps.clock.advance(6000);
    expect(await search(directory)).toMatchObject({ from: 'endpoint', unavailable: null });
  });

  it('are refused if the parameter cannot have them, and omitted if Postgres cannot store them', async () => {
    answer = page([{ value: 5 }]);
    expect((await search(ofTeam())).unavailable).toContain('/rewardId takes texts, not 5');
    answer = page([{ value: 'a\u0000b' }, { value: 'kept' }]);
    expect((await search(ofTeam())).items.map(({ value }) => value)).toEqual(['kept']);
    answer = page([{ value: 2 }]);
    expect((await search(ofTeam(), { parameter: '/units' })).items.map(({ value }) => value)).toEqual([2]);
  });

  it('are requested over HTTP, and after a failure the values of campaigns are returned with the reason', async () => {
    expect(await list('parameter=rewardId')).toMatchObject({
      items: [{ value: 'ride-5' }],
      unavailable:
        'its options could not be loaded: here REWARDS_AUTHORIZATION is not set, and authorizationEnv names it',
    });
  });
});
