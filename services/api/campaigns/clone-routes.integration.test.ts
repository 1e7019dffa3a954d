import { describe, expect, it } from 'vitest';
import { campaign } from '../../../shared/contracts/campaigns/campaigns.ts';
import { uuidOf } from '../../../shared/domain/ids/ids.ts';
import { authorized, someCampaign } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { inSg, teamsOn } from '../../../test/support/teams-on-postgres.ts';
import { problem } from '../frame/problems.contract.ts';

const on = apiOnPostgres();
const { askAs, makeManager } = teamsOn(on);

const created = async (fields: object = {}) =>
  campaign.parse((await on.ask('POST', '/v1/campaigns', { ...someCampaign, ...fields })).json());

const clone = async (id: string, changes?: object) => await on.ask('POST', `/v1/campaigns/${id}/clone`, changes);

const chain = [{ action: 'award-reward', params: { rewardId: 'ride-5' }, unitsPerUser: 2 }];
const about = { description: 'Brings riders back', owner: 'growth', tags: ['payday'], metadata: { ticket: 'M-1' } };

describe('a copy of a campaign', () => {
  it('is an independent draft with the newest revision of the original, and refers to the original', async () => {
    const budgets = [{ country: 'SG', units: 5 }];
    const { id } = await created({ ...about, chain, budgets, paceUsersPerSecond: 7 });
    await on.ask('PATCH', `/v1/campaigns/${id}`, { priority: 'low' });
    await on.ask('POST', `/v1/campaigns/${id}/start`);
    await on.ask('PATCH', `/v1/campaigns/${id}/budgets`, { budgets: [{ country: 'SG', units: 9 }] });
    await on.ask('POST', `/v1/campaigns/${id}/archive`);

    const answer = await clone(id);

    expect(answer.statusCode).toBe(201);
    const copy = campaign.parse(answer.json());
    expect(answer.headers.location).toBe(copy.links.self);
    expect(copy.id).not.toBe(id);
    expect(copy).toMatchObject({
      ...someCampaign,
      ...about,
      chain,
      paceUsersPerSecond: 7,
      priority: 'low',
      name: 'Lapsed riders, December, copy',
      budgets: [{ country: 'SG', units: 9 }],
      state: 'draft',
      revision: 1,
      archivedAt: null,
      nextRunAt: null,
      origin: { campaignId: id, revision: 2 },
    });
    expect((await created()).origin).toBeNull();
  });

  it('has the given fields instead of those of the original, and null resets a field', async () => {
    const { id } = await created({ ...about, paceUsersPerSecond: 7 });
    const copy = campaign.parse((await clone(id, { name: 'January', tags: ['new'], paceUsersPerSecond: null })).json());
    expect([copy.name, copy.tags, copy.paceUsersPerSecond, copy.owner]).toEqual([
      'January',
      ['new'],
      undefined,
      'growth',
    ]);
    expect((await on.ask('GET', `/v1/campaigns/${id}`)).json()).toMatchObject({ name: someCampaign.name, revision: 1 });
  });

  it('remains after the original is deleted', async () => {
    const { id } = await created();
    const copy = campaign.parse((await clone(id)).json());
    await on.ask('DELETE', `/v1/campaigns/${id}`);
    expect((await on.ask('GET', `/v1/campaigns/${copy.id}`)).json()).toMatchObject({ origin: { campaignId: id } });
  });

  it('needs another schedule if the time of the original’s schedule has passed', async () => {
    const { id } = await created({ schedule: { type: 'at', time: '2026-01-02T00:00:00Z' } });
    await on.passTime(2 * 86_400_000);
    const refused = problem.parse((await clone(id)).json());
    expect(refused).toMatchObject({ status: 422, errors: [{ pointer: '/schedule/time', code: 'past-time' }] });
    expect(await on.rowsOf('campaigns')).toHaveLength(1);
    expect((await clone(id, { schedule: { type: 'now' } })).statusCode).toBe(201);
  });

  it.each([
    [{ name: '' }, ['/name']],
    [{ nickname: 'x' }, ['/nickname']],
    [{ chain: [{ action: 'award-yacht' }], tags: ['A'] }, ['/tags/0', '/chain/0/action']],
    [[], ['']],
  ])('is refused with all its problems: %j', async (changes, pointers) => {
    const { id } = await created();
    const refused = problem.parse((await clone(id, changes)).json());
    expect(refused.errors.map(({ pointer }) => pointer)).toEqual(pointers);
  });

  it('has a name that is cut to the limit, but never inside a character', async () => {
    const { id } = await created({ name: `${'x'.repeat(193)}🚲 and more`.slice(0, 199) });
    const copy = campaign.parse((await clone(id)).json());
    expect(copy.name).toBe(`${'x'.repeat(193)}, copy`);
  });

  it('is created only once with the same Idempotency-Key', async () => {
    const { id } = await created();
    const headers = { ...authorized, 'idempotency-key': 'k' };
    const copies = [];
    for (let time = 0; time < 2; time++)
      copies.push(await on.api.server.inject({ method: 'POST', url: `/v1/campaigns/${id}/clone`, headers }));
    expect(copies[1]?.json()).toEqual(copies[0]?.json());
    expect(await on.rowsOf('campaigns')).toHaveLength(2);
  });

  it('is allowed to a key whose scope includes its countries and actions, and counts in the quota of the account', async () => {
    const { secret, id: keyId } = await makeManager();
    const theirs = campaign.parse((await askAs(secret, 'POST', '/v1/campaigns', inSg)).json());
    const copied = await askAs(secret, 'POST', `/v1/campaigns/${theirs.id}/clone`);
    expect(copied.statusCode).toBe(201);
    const wide = { countries: ['SG', 'ID'] };
    expect((await askAs(secret, 'POST', `/v1/campaigns/${theirs.id}/clone`, wide)).statusCode).toBe(403);
    const accounts = (await on.rowsOf('campaigns')).map((row) => row['account']);
    expect(accounts).toEqual([uuidOf('apiKey', keyId), uuidOf('apiKey', keyId)]);
  });

  it('is refused if its original does not exist', async () => {
    expect((await clone('cmp_01h455vb4pex5vsknk084sn02q')).statusCode).toBe(404);
  });
});
