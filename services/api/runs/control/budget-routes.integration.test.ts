import { describe, expect, it } from 'vitest';
import { campaignBudgets } from '../../../../shared/contracts/campaigns/budgets.ts';
import { campaign } from '../../../../shared/contracts/campaigns/campaigns.ts';
import { runEvent } from '../../../../shared/contracts/runs/run-history.ts';
import { publicId, uuidOf } from '../../../../shared/domain/ids/ids.ts';
import { noteSettings } from '../../../../shared/postgres/registry/service-settings.ts';
import { authorized, someCampaign } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { pageShape } from '../../frame/pages.contract.ts';
import { problem } from '../../frame/problems.contract.ts';

const on = apiOnPostgres();

function send(method: 'GET' | 'POST' | 'PUT' | 'PATCH', url: string, payload?: object) {
  return on.api.server.inject({ method, url, headers: authorized, ...(payload && { payload }) });
}

const [award, message] = someCampaign.chain;
const free = { money: null, waitingBatches: 0, raisableTo: null, raisableToAmount: null };
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
  it('show the used, reserved and remaining units by country', async () => {
    const id = await created();
    const response = await send('GET', `/v1/campaigns/${id}/budgets`);
    expect(campaignBudgets.parse(response.json()).items).toEqual([
      { country: 'ID', units: 0, used: 0, reserved: 0, left: 0, ...free },
      { country: 'SG', units: 1000, used: 0, reserved: 0, left: 1000, ...free },
    ]);
  });

  it('are an empty list for a campaign without budgets, and are not found for an unknown campaign', async () => {
    const none = await send('GET', `/v1/campaigns/${await created(someCampaign)}/budgets`);
    expect(none.json()).toEqual({ items: [] });
    expect((await send('GET', '/v1/campaigns/cmp_0190a0000000700080000000000000/budgets')).statusCode).toBe(404);
  });

  it('are raised one by one with entries in the audit log, and a repeat changes nothing', async () => {
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
    const read = campaign.parse((await send('GET', `/v1/campaigns/${id}`)).json());
    expect(read.budgets).toEqual([
      { country: 'ID', units: 0 },
      { country: 'SG', units: 2500 },
    ]);
    const { items } = await on.deps.audit.list({ method: 'PATCH' }, 10, null);
    expect(items.at(-1)?.detail).toEqual({
      from: [{ country: 'SG', units: 1000 }],
      to: [{ country: 'SG', units: 2500 }],
    });
  });

  it('show for a started campaign up to which limit each can be raised without another approval', async () => {
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

  it('add an event with caller and reason to the history of each active run when they are raised', async () => {
    const id = await created();
    await send('POST', `/v1/campaigns/${id}/start`);
    const scheduledFor = new Date('2025-12-31T23:00:00Z');
    const seed = { campaignId: uuidOf('campaign', id) ?? '', revision: 1, scheduledFor };
    const open = await on.deps.rows.addRun({ ...seed, state: 'running' });
    const ended = await on.deps.rows.addRun({
      ...seed,
      state: 'completed',
      endedAt: scheduledFor,
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
          by: { keyId: publicId('apiKey', on.key), keyName: 'a test' },
          reason,
          from: { budgets: [{ country: 'SG', units: 1000 }] },
          to: { budgets: [{ country: 'SG', units: 2500 }] },
        },
      },
    ]);
    expect(await events(ended)).toEqual([]);
  });

  it('cannot be added after the start, or occur twice in a change', async () => {
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

  it('are refused for other countries, for a repeated country, and without a step that costs units', async () => {
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
  ])('must be whole numbers, and each user must cost at least one unit: %s', async (pointer, changes) => {
    const [first] = await problemsOf({ ...someCampaign, chain: budgeted.chain, ...changes });
    expect(first?.[0]).toBe(pointer);
  });
});

describe('budgets in money', () => {
  const inMoney = { ...budgeted, budgets: [{ country: 'SG', amount: '5000', currency: 'SGD' }] };

  const price = (value: string | null) => send('PATCH', '/v1/action-types/award-reward', { price: value });

  it('show amounts in their currency, and are changed and audited like budgets in units', async () => {
    await price('0.05');
    const id = await created(inMoney);
    expect((await send('GET', `/v1/campaigns/${id}/budgets`)).json()).toEqual({
      items: [
        {
          country: 'SG',
          units: null,
          used: null,
          reserved: null,
          left: null,
          ...free,
          money: { currency: 'SGD', amount: '5000.00', used: '0.00', reserved: '0.00', left: '5000.00' },
        },
      ],
    });
    const budgets = [{ country: 'SG', amount: '6000.5', currency: 'SGD' }];
    const changed = await send('PATCH', `/v1/campaigns/${id}/budgets`, { budgets });
    expect(changed.json()).toMatchObject({ items: [{ money: { amount: '6000.50', left: '6000.50' } }] });
    const read = campaign.parse((await send('GET', `/v1/campaigns/${id}`)).json());
    expect(read.budgets).toEqual([{ country: 'SG', amount: '6000.50', currency: 'SGD' }]);
    const { items } = await on.deps.audit.list({ method: 'PATCH' }, 10, null);
    expect(items.map(({ detail }) => detail)).toContainEqual({
      from: [{ country: 'SG', amount: '5000.00', currency: 'SGD' }],
      to: [{ country: 'SG', amount: '6000.50', currency: 'SGD' }],
    });
  });

  it('cannot be changed to units, and budgets in units cannot be changed to money', async () => {
    await price('0.05');
    const url = `/v1/campaigns/${await created(inMoney)}/budgets`;
    expect(await problemsOf({ budgets: [{ country: 'SG', units: 1 }] }, url, 'PATCH')).toEqual([
      ['/budgets/0', 'other-budget'],
    ]);
  });

  it('show up to which limit each can be raised without another approval', async () => {
    await price('0.05');
    await noteSettings(on.pool, 'api', { MUSTER_CURRENCY: 'SGD' });
    const id = await created(inMoney);
    await send('POST', `/v1/campaigns/${id}/start`);
    await send('PUT', '/v1/approval-policy', { rules: [{ amountAbove: '7000', approvers: 1 }] });
    const { items } = campaignBudgets.parse((await send('GET', `/v1/campaigns/${id}/budgets`)).json());
    expect(items).toMatchObject([{ raisableTo: null, raisableToAmount: '7000.00' }]);
    const raise = (amount: string) =>
      send('PATCH', `/v1/campaigns/${id}/budgets`, { budgets: [{ country: 'SG', amount, currency: 'SGD' }] });
    const refused = problem.parse((await raise('7000.01')).json());
    expect(refused).toMatchObject({ status: 409, code: 'approval-needed' });
    expect(refused.detail).toMatch(/more than 7,000.00 SGD/);
    expect((await raise('7000.00')).statusCode).toBe(200);
  });

  it('are refused, now and at the start, if a step that costs units has no price', async () => {
    expect(await problemsOf(inMoney)).toEqual([['/chain/0/unitsPerUser', 'no-price']]);
    await price('0.05');
    const id = await created(inMoney);
    await price(null);
    const refused = problem.parse((await send('POST', `/v1/campaigns/${id}/start`)).json());
    expect(refused).toMatchObject({ status: 409, code: 'no-longer-configured' });
    expect(refused.errors).toMatchObject([{ pointer: '/chain/0/unitsPerUser', code: 'no-price' }]);
    expect(refused.errors[0]?.detail).toMatch(/^"award-reward" has no price/);
  });

  it.each([
    ['another currency', { amount: '1', currency: 'USD' }, ['/budgets/0/currency', 'foreign-currency']],
    ['units beside it', { amount: '1', currency: 'SGD', units: 1 }, ['/budgets/0/amount', 'invalid-value']],
    ['nothing at all', {}, ['/budgets/0/units', 'invalid-value']],
    ['no currency', { amount: '1' }, ['/budgets/0/currency', 'invalid-value']],
    ['no decimal', { amount: '1e3', currency: 'SGD' }, ['/budgets/0/amount', 'invalid-value']],
  ])('are refused with %s', async (_, budget, found) => {
    await price('0.05');
    expect(await problemsOf({ ...budgeted, budgets: [{ country: 'SG', ...budget }] })).toEqual([found]);
  });

  it('are refused if the cost of a user cannot be stored exactly', async () => {
    await price('999999999');
    expect(await problemsOf(inMoney)).toEqual([['/chain/0/unitsPerUser', 'too-expensive']]);
  });
});
