import { describe, expect, it } from 'vitest';
import { campaignBudgets } from '../../../../shared/contracts/campaigns/budgets.ts';
import { campaign } from '../../../../shared/contracts/campaigns/campaigns.ts';
import { runEvent } from '../../../../shared/contracts/runs/runs.ts';
import { publicId, uuidOf } from '../../../../shared/domain/ids/ids.ts';
import { authorized, someCampaign } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { pageShape } from '../../frame/pages.contract.ts';
import { problem } from '../../frame/problems.contract.ts';

const on = apiOnPostgres();

function send(method: 'GET' | 'POST' | 'PUT' | 'PATCH', url: string, payload?: object) {
  return on.api.server.inject({ method, url, headers: authorized, ...(payload && { payload }) });
}

const [award, message] = someCampaign.chain;
const budgeted = {
  ...someCampaign,
  chain: [{ ...award, unitsPerUser: 2 }, message],
  budgets: [
    { country: 'SG', units: 1000 },
    { country: 'ID', units: 0 },
  ],
};

async function created(body: object = budgeted): Promise<string> {
  return campaign.parse((await send('POST', '/v1/campaigns', body)).json()).id;
}

async function problemsOf(body: object, url = '/v1/campaigns', method: 'POST' | 'PATCH' = 'POST') {
  const response = await send(method, url, body);
  expect(response.statusCode).toBe(422);
  return problem.parse(response.json()).errors.map(({ pointer, code }) => [pointer, code]);
}

describe('budgets of a campaign', () => {
  it('are shown with what is used, reserved and left, by country', async () => {
    const id = await created();
    const response = await send('GET', `/v1/campaigns/${id}/budgets`);
    expect(campaignBudgets.parse(response.json()).items).toEqual([
      { country: 'ID', units: 0, used: 0, reserved: 0, left: 0, waitingBatches: 0, raisableTo: null },
      { country: 'SG', units: 1000, used: 0, reserved: 0, left: 1000, waitingBatches: 0, raisableTo: null },
    ]);
  });

  it('are none where the campaign has none, and a campaign that there is not is no campaign', async () => {
    const none = await send('GET', `/v1/campaigns/${await created(someCampaign)}/budgets`);
    expect(none.json()).toEqual({ items: [] });
    expect((await send('GET', '/v1/campaigns/cmp_0190a0000000700080000000000000/budgets')).statusCode).toBe(404);
  });

  it('are raised one by one, which the audit log keeps, and a repeat changes nothing', async () => {
    const id = await created();
    const url = `/v1/campaigns/${id}/budgets`;
    const changes = { budgets: [{ country: 'SG', units: 2500 }] };
    for (const _ of [1, 2]) {
      const changed = campaignBudgets.parse((await send('PATCH', url, changes)).json());
      expect(changed.items.map(({ country, units }) => [country, units])).toEqual([
        ['ID', 0],
        ['SG', 2500],
      ]);
    }
    const shown = campaign.parse((await send('GET', `/v1/campaigns/${id}`)).json());
    expect(shown.budgets).toEqual([
      { country: 'ID', units: 0 },
      { country: 'SG', units: 2500 },
    ]);
    const { items } = await on.deps.audit.list({ method: 'PATCH' }, 10, null);
    expect(items.at(-1)?.detail).toEqual({
      from: [{ country: 'SG', units: 1000 }],
      to: [{ country: 'SG', units: 2500 }],
    });
  });

  it('say how far they may be raised without another approval, once the campaign is started', async () => {
    const rules = [{ unitsAbove: 4000, approvers: 1 }];
    const id = await created();
    await send('POST', `/v1/campaigns/${id}/start`);
    expect((await send('PUT', '/v1/approval-policy', { rules })).statusCode).toBe(200);
    const { items } = campaignBudgets.parse((await send('GET', `/v1/campaigns/${id}/budgets`)).json());
    expect(items.map(({ country, raisableTo }) => [country, raisableTo])).toEqual([
      ['ID', 3000],
      ['SG', 4000],
    ]);
    const raised = await send('PATCH', `/v1/campaigns/${id}/budgets`, { budgets: [{ country: 'SG', units: 4001 }] });
    expect(problem.parse(raised.json())).toMatchObject({ status: 409, code: 'approval-needed' });
  });

  it('that are raised stand in the history of each run that goes on, with who did it and why', async () => {
    const id = await created();
    await send('POST', `/v1/campaigns/${id}/start`);
    const scheduledFor = new Date('2025-12-31T23:00:00Z');
    const seed = { campaignId: uuidOf('campaign', id) ?? '', revision: 1, scheduledFor };
    const open = await on.deps.rows.addRun({ ...seed, state: 'running' });
    const ended = await on.deps.rows.addRun({
      ...{ ...seed, state: 'completed', endedAt: scheduledFor },
      scheduledFor: new Date('2025-12-30T23:00:00Z'),
    });
    const reason = 'agreed with finance';
    const budgets = [
      { country: 'SG', units: 2500 },
      { country: 'ID', units: 0 },
    ];
    const body = { budgets, reason };
    for (const _ of [1, 2]) await send('PATCH', `/v1/campaigns/${id}/budgets`, body);
    const events = async (runId: string) => {
      const page = await send('GET', `/v1/runs/${publicId('run', runId)}/events`);
      return pageShape(runEvent).parse(page.json()).items;
    };
    expect((await events(open)).map(({ kind, detail }) => ({ kind, detail }))).toEqual([
      {
        kind: 'changed',
        detail: {
          ...{ by: { keyId: publicId('apiKey', on.key), keyName: 'a test' }, reason },
          from: { budgets: [{ country: 'SG', units: 1000 }] },
          to: { budgets: [{ country: 'SG', units: 2500 }] },
        },
      },
    ]);
    expect(await events(ended)).toEqual([]);
  });

  it('cannot be had later, and not twice in a change', async () => {
    const url = `/v1/campaigns/${await created()}/budgets`;
    const budgets = [
      { country: 'SG', units: 1 },
      { country: 'VN', units: 1 },
      { country: 'SG', units: 2 },
    ];
    expect(await problemsOf({ budgets }, url, 'PATCH')).toEqual([
      ['/budgets/1/country', 'no-budget'],
      ['/budgets/2/country', 'repeated-country'],
    ]);
  });

  it('are refused for countries that are not of the campaign, twice, and where nothing costs anything', async () => {
    const budgets = [
      { country: 'SG', units: 1 },
      { country: 'SG', units: 2 },
      { country: 'TH', units: 2 },
    ];
    expect(await problemsOf({ ...someCampaign, budgets })).toEqual([
      ['/budgets/1/country', 'repeated-country'],
      ['/budgets/2/country', 'foreign-country'],
      ['/budgets', 'nothing-costs-units'],
    ]);
  });

  it.each([
    ['/budgets/0/units', { budgets: [{ country: 'SG', units: -1 }] }],
    ['/budgets/0/units', { budgets: [{ country: 'SG', units: 1.5 }] }],
    ['/budgets/0/unit', { budgets: [{ country: 'SG', units: 1, unit: 'points' }] }],
    ['/chain/0/unitsPerUser', { chain: [{ ...award, unitsPerUser: 0 }], budgets: [{ country: 'SG', units: 1 }] }],
  ])('are whole numbers, and a price is at least one: %s', async (pointer, changes) => {
    const [first] = await problemsOf({ ...someCampaign, chain: budgeted.chain, ...changes });
    expect(first?.[0]).toBe(pointer);
  });
});
