import { describe, expect, it } from 'vitest';
import { campaign } from '../../../../shared/contracts/campaigns/campaigns.ts';
import { revisionDiff } from '../../../../shared/contracts/campaigns/revisions.ts';
import { template } from '../../../../shared/contracts/campaigns/templates.ts';
import { authorized, someCampaign } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { refusedBy, teamsOn } from '../../../../test/support/teams-on-postgres.ts';
import { createApi } from '../../api.ts';
import { pageShape } from '../../frame/pages.contract.ts';
import { problem } from '../../frame/problems.contract.ts';
import { createActionTypeStore } from '../../action-types/postgres/action-type-store.ts';

const on = apiOnPostgres({ quotas: { campaignChanges: 4 } });
const { askAs, makeManager } = teamsOn(on);

const variables = {
  country: { type: 'string', enum: ['SG', 'ID'], default: 'SG' },
  segment: { type: 'segment', description: 'Who gets it' },
  reward: { type: 'string', pattern: '^[a-z0-9-]+$' },
  units: { type: 'integer', minimum: 1, maximum: 5, default: 2 },
  share: { type: 'number', default: 0 },
  start: { type: 'date-time', default: '2026-03-01T09:00:00+08:00' },
};

const variable = (name: string) => ({ $variable: name });

const payday = {
  name: 'Payday',
  variables,
  campaign: {
    countries: [variable('country')],
    audience: { include: [{ segment: variable('segment') }], holdOutPercent: variable('share') },
    chain: [
      { action: 'award-reward', params: { rewardId: variable('reward'), units: variable('units') } },
      { action: 'send-message', params: { template: 'congratulations' } },
    ],
    schedule: { type: 'at', time: variable('start') },
    tags: ['payday'],
  },
};

const created = async (fields: object = {}) =>
  template.parse((await on.ask('POST', '/v1/templates', { ...payday, ...fields })).json());

const use = async (id: string, given: object, more: object = {}) =>
  await on.ask('POST', `/v1/templates/${id}/campaigns`, { name: 'March', variables: given, ...more });

const given = { segment: 'lapsed-riders', reward: 'ride-5' };

const problemsOf = (answer: { json: () => unknown }) =>
  problem.parse(answer.json()).errors.map(({ pointer, code }) => `${code} ${pointer}`);

describe('a template', () => {
  it('is shown as it was written, listed, and found by a part of its name', async () => {
    const answer = await on.ask('POST', '/v1/templates', payday);
    expect(answer.statusCode).toBe(201);
    const made = template.parse(answer.json());
    expect(answer.headers.location).toBe(made.links.self);
    const other = await created({ name: 'Lapsed' });

    expect(made).toMatchObject({ ...payday, revision: 1 });
    expect((await on.ask('GET', made.links.self)).json()).toEqual(made);
    const list = async (query: string) =>
      pageShape(template).parse((await on.ask('GET', `/v1/templates${query}`)).json());
    const first = await list('?limit=1');
    expect(first.items.map(({ id }) => id)).toEqual([other.id]);
    expect((await list(`?limit=1&cursor=${first.next ?? ''}`)).items.map(({ id }) => id)).toEqual([made.id]);
    expect((await list('?q=PAY')).items.map(({ id }) => id)).toEqual([made.id]);
  });

  it.each([
    [{ variables: { ...variables, units: { type: 'decimal' } } }, ['invalid-value /variables/units/type']],
    [
      { variables: { ...variables, reward: { type: 'string', pattern: '(' } } },
      ['unusable-schema /variables/reward/pattern'],
    ],
    [
      { variables: { ...variables, units: { type: 'integer', default: 'two' } } },
      ['wrong-type /variables/units/default'],
    ],
    [
      { variables: { ...variables, units: { type: 'integer', maximum: 1, default: 2 } } },
      ['out-of-range /variables/units/default'],
    ],
    [{ variables: { ...variables, spare: { type: 'boolean' } } }, ['unused-variable /variables/spare']],
    [{ campaign: { ...payday.campaign, priority: variable('priority') } }, ['unknown-variable /campaign/priority']],
    [
      { campaign: { ...payday.campaign, priority: { $variable: 'units', or: 'low' } } },
      ['unknown-variable /campaign/priority'],
    ],
    [{ campaign: { ...payday.campaign, name: 'x' } }, ['invalid-value /campaign']],
    [{ campaign: { ...payday.campaign, deadlineSeconds: 1 } }, ['out-of-range /campaign/deadlineSeconds']],
    [{ campaign: { ...payday.campaign, nickname: 'x' } }, ['unknown-field /campaign/nickname']],
    [
      { campaign: { ...payday.campaign, chain: [...payday.campaign.chain, { action: 'award-yacht' }] } },
      ['unknown-action /campaign/chain/2/action'],
    ],
    [{ name: ' ' }, ['wrong-length /name']],
  ])('is refused with its problems: %j', async (wrong, problems) => {
    expect(problemsOf(await on.ask('POST', '/v1/templates', { ...payday, ...wrong }))).toEqual(problems);
    const { id } = await created();
    expect(problemsOf(await on.ask('PATCH', `/v1/templates/${id}`, wrong))).toEqual(problems);
  });

  it('is accepted if only values of its variables decide whether it is valid', async () => {
    const { country: _, ...others } = variables;
    const chain = payday.campaign.chain.map((step) => ({ ...step, unitsPerUser: 1 }));
    const budgets = [{ country: 'SG', units: 5 }];
    const made = await on.ask('POST', '/v1/templates', {
      ...payday,
      variables: { ...others, country: { type: 'string' } },
      campaign: { ...payday.campaign, chain, budgets },
    });
    expect(made.statusCode).toBe(201);
  });

  it('is changed by only one of several concurrent changes; the others are refused as outdated', async () => {
    const { id } = await created();
    const names = ['one', 'two', 'three', 'four'];
    const request = {
      method: 'PATCH',
      url: `/v1/templates/${id}`,
      headers: { ...authorized, 'if-match': '"1"' },
    } as const;
    const answers = await Promise.all(names.map((name) => on.api.server.inject({ ...request, payload: { name } })));
    const [winner, ...more] = names.filter((_, index) => answers[index]?.statusCode === 200);
    expect(more).toEqual([]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 412, 412, 412]);
    expect((await on.ask('GET', `/v1/templates/${id}`)).json()).toMatchObject({ name: winner, revision: 2 });
  });

  it('has a new revision after each change by a caller who has read the previous one', async () => {
    const { id } = await created();
    const { etag = '' } = (await on.ask('GET', `/v1/templates/${id}`)).headers;
    const url = `/v1/templates/${id}`;
    const headers = { ...authorized, 'if-match': etag };
    const change = { name: 'Payday, twice', variables: { ...variables, units: { type: 'integer', default: 4 } } };
    const changed = await on.api.server.inject({ method: 'PATCH', url, headers, payload: change });
    expect(changed.json()).toMatchObject({ ...change, campaign: payday.campaign, revision: 2 });
    const late = await on.api.server.inject({ method: 'PATCH', url, headers, payload: { name: 'late' } });
    expect(late.statusCode).toBe(412);

    const diff = revisionDiff.parse((await on.ask('GET', `${url}/revisions/1/diff`)).json());
    expect(diff).toEqual({
      from: 1,
      to: 2,
      differences: [
        { pointer: '/name', before: 'Payday', after: 'Payday, twice' },
        { pointer: '/variables/units/default', before: 2, after: 4 },
        { pointer: '/variables/units/maximum', before: 5 },
        { pointer: '/variables/units/minimum', before: 1 },
      ],
    });
  });

  it.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf'])('may have a variable named %s', async (name) => {
    const chain = [{ action: 'award-reward', params: { rewardId: variable(name), units: 2 } }];
    const audience = { include: [{ segment: 'lapsed-riders' }] };
    const made = await created({
      variables: { [name]: { type: 'string' } },
      campaign: { countries: ['SG'], audience, chain },
    });
    expect(problemsOf(await use(made.id, {}))).toEqual([`missing /variables/${name}`]);
    expect(problemsOf(await use(made.id, { [name]: 7 }))).toEqual([`wrong-type /variables/${name}`]);
    expect((await use(made.id, { [name]: 'ride-5' })).statusCode).toBe(201);
    const unknown = await on.ask('POST', '/v1/templates', { ...payday, campaign: { ...payday.campaign, [name]: 1 } });
    expect(unknown.statusCode).toBe(422);
  });

  it('is deleted with its revisions, and campaigns created from it remain', async () => {
    const { id } = await created();
    const made = campaign.parse((await use(id, given)).json());
    expect((await on.ask('DELETE', `/v1/templates/${id}`)).statusCode).toBe(204);
    expect((await on.ask('DELETE', `/v1/templates/${id}`)).statusCode).toBe(204);
    expect((await on.ask('GET', `/v1/templates/${id}`)).statusCode).toBe(404);
    expect((await on.rowsOf('revisions')).map((row) => row['template'])).toEqual([null]);
    expect((await on.ask('GET', `/v1/campaigns/${made.id}`)).json()).toMatchObject({ origin: { templateId: id } });
  });

  it('is checked against the scope of the key by its fixed values, and counts in the account’s quota of changes', async () => {
    const { secret } = await makeManager();
    const elsewhere = { ...payday, campaign: { ...payday.campaign, countries: ['ID', variable('country')] } };
    expect((await askAs(secret, 'POST', '/v1/templates', elsewhere)).statusCode).toBe(403);
    const mine = template.parse((await askAs(secret, 'POST', '/v1/templates', payday)).json());
    const body = (country: string) => ({ name: 'x', variables: { ...given, country } });
    expect((await askAs(secret, 'POST', `/v1/templates/${mine.id}/campaigns`, body('ID'))).statusCode).toBe(403);
    expect((await askAs(secret, 'POST', `/v1/templates/${mine.id}/campaigns`, body('SG'))).statusCode).toBe(201);
    expect((await askAs(secret, 'PATCH', `/v1/templates/${mine.id}`, { name: 'b' })).statusCode).toBe(200);
    expect((await askAs(secret, 'PATCH', `/v1/templates/${mine.id}`, { name: 'b' })).statusCode).toBe(200);
    const beyond = refusedBy(askAs(secret, 'PATCH', `/v1/templates/${mine.id}`, { name: 'c' }));
    expect(await beyond).toMatchObject({ statusCode: 429, variable: 'QUOTA_CAMPAIGN_CHANGES' });
  });
});

describe('a campaign from a template', () => {
  it('is a draft with the values in their places, and its origin has the template, the revision and the values', async () => {
    const { id } = await created();
    await on.ask('PATCH', `/v1/templates/${id}`, { name: 'Payday, again' });
    const answer = await use(id, { ...given, units: 5 });

    expect(answer.statusCode).toBe(201);
    const made = campaign.parse(answer.json());
    expect(made).toMatchObject({
      name: 'March',
      state: 'draft',
      revision: 1,
      tags: ['payday'],
      countries: ['SG'],
      audience: { include: [{ segment: 'lapsed-riders' }], holdOutPercent: 0 },
      chain: [{ action: 'award-reward', params: { rewardId: 'ride-5', units: 5 } }, someCampaign.chain[1]],
      schedule: { type: 'at', time: '2026-03-01T09:00:00+08:00' },
      origin: {
        templateId: id,
        revision: 2,
        variables: { ...given, country: 'SG', units: 5, share: 0, start: '2026-03-01T09:00:00+08:00' },
      },
    });
    const first = campaign.parse((await use(id, given, { revision: 1 })).json());
    expect(first.origin).toMatchObject({ templateId: id, revision: 1 });
    expect((await use(id, given, { revision: 9 })).statusCode).toBe(404);
  });

  it.each([
    [{ segment: 's' }, ['missing /variables/reward'], 'is missing'],
    [{ ...given, units: '2' }, ['wrong-type /variables/units'], '"2"'],
    [{ ...given, units: 2.5 }, ['wrong-type /variables/units'], '2.5'],
    [{ ...given, units: 6 }, ['out-of-range /variables/units'], '6'],
    [{ ...given, reward: 'Ride 5' }, ['invalid-value /variables/reward'], '"Ride 5"'],
    [{ ...given, country: 'VN' }, ['invalid-value /variables/country'], '"VN"'],
    [{ ...given, start: 'tomorrow' }, ['invalid-value /variables/start'], '"tomorrow"'],
    [{ ...given, segment: '' }, ['wrong-length /variables/segment'], '0'],
    [{ ...given, share: true }, ['wrong-type /variables/share'], 'true'],
    [{ ...given, colour: 'red' }, ['unknown-field /variables/colour'], 'known are'],
    // The value has the type of the variable, but is not valid where the campaign uses it.
    [{ ...given, share: 100 }, ['out-of-range /variables/share'], '100, used at /audience/holdOutPercent: '],
    [{ ...given, start: '2025-01-01T00:00:00Z' }, ['past-time /variables/start'], 'used at /schedule/time: '],
  ])('is refused for an invalid value, with a pointer to its variable: %j', async (values, problems, words) => {
    const { id } = await created();
    const answer = await use(id, values);
    expect(problemsOf(answer)).toEqual(problems);
    expect(problem.parse(answer.json()).errors[0]?.detail).toContain(words);
    expect(await on.rowsOf('campaigns')).toEqual([]);
  });

  it('is refused if the value of a variable is an unknown segment, with a pointer to the variable', async () => {
    const { id } = await created();
    const failure = { kind: 'not-found', cause: 'there is none', retryAfterMs: null } as const;
    const segmentation = { ...on.deps.segmentation, describe: () => Promise.resolve({ ok: false, failure } as const) };
    const { server } = await createApi({ ...on.deps, segmentation });
    const payload = { name: 'March', variables: given };
    const url = `/v1/templates/${id}/campaigns`;
    const answer = await server.inject({ method: 'POST', url, headers: authorized, payload });
    expect(problemsOf(answer)).toEqual(['unknown-segment /variables/segment']);
    expect(problem.parse(answer.json()).errors[0]?.detail).toContain('"lapsed-riders", used at /audience');
  });

  it('is refused if it uses an action or a country that is no longer configured, with a pointer into the campaign', async () => {
    const { id } = await created();
    await createActionTypeStore(on.deps).change('send-message', { enabled: false }, null);
    expect(problemsOf(await use(id, given))).toEqual(['unknown-action /chain/1/action']);
  });
});
