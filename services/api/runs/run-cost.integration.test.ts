import { beforeEach, expect, it } from 'vitest';
import { campaignEstimate } from '../../../shared/contracts/campaigns/estimates.ts';
import { runProgress, runReport } from '../../../shared/contracts/runs/runs.ts';
import { publicId, uuidOf } from '../../../shared/domain/ids/ids.ts';
import { noteSettings } from '../../../shared/postgres/registry/service-settings.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { approvalsOn } from '../../../test/support/approvals-on-api.ts';

const on = apiOnPostgres();
const { addPeople, write } = approvalsOn(on);
beforeEach(addPeople);

const chain = [
  { action: 'award-reward', params: {}, unitsPerUser: 2 },
  { action: 'send-message', params: {}, unitsPerUser: 1 },
];

async function price(action: string, each: string | null): Promise<void> {
  const answer = await on.ask('PATCH', `/v1/action-types/${action}`, { price: each });
  expect(answer.statusCode, answer.body).toBe(200);
}

/** Creates a running run in SG with the given number of users who succeeded in each step. */
async function begunRun(campaignId: string, through: readonly number[], changes: object = {}) {
  const scheduledFor = new Date(on.deps.clock.nowMs());
  const id = uuidOf('campaign', campaignId) ?? expect.fail();
  const runId = await on.deps.rows.addRun({
    campaignId: id,
    revision: 1,
    scheduledFor,
    state: 'preparing',
    ...changes,
  });
  await on.pool.query(`update runs set state = 'running', started_at = now() where id = $1`, [runId]);
  const fedUsers = through[0] ?? 0;
  const feedId = await on.deps.rows.addFeed(runId, { country: 'SG', fedUsers, complete: true });
  for (const [index, succeeded] of through.entries())
    await on.deps.rows.addTotals(feedId, 0, { step: index + 1, batches: 1, succeeded });
  return publicId('run', runId);
}

const reportOf = async (runId: string) => runReport.parse((await on.ask('GET', `/v1/runs/${runId}/report`)).json());

it('a run costs the sum over its users, at the prices of its start', async () => {
  await noteSettings(on.pool, 'api', { MUSTER_CURRENCY: 'SGD' });
  await price('award-reward', '0.125');
  await price('send-message', '0.0003');
  const { id } = await write('mei, manager', { chain });
  const runId = await begunRun(id, [900, 801]);
  await price('award-reward', '7');
  await noteSettings(on.pool, 'api', { MUSTER_CURRENCY: 'IDR' });
  for (const state of ['paused', 'running'])
    await on.pool.query('update runs set state = $2 where id = $1', [uuidOf('run', runId), state]);
  const { cost } = await reportOf(runId);
  expect(cost).toEqual({
    currency: 'SGD',
    units: 2601,
    amount: '225.2403',
    steps: [
      { step: 1, action: 'award-reward', unitsPerUser: 2, price: '0.125', units: 1800, amount: '225.00' },
      { step: 2, action: 'send-message', unitsPerUser: 1, price: '0.0003', units: 801, amount: '0.2403' },
    ],
    countries: [{ country: 'SG', units: 2601, amount: '225.2403' }],
  });
  const progress = runProgress.parse((await on.ask('GET', `/v1/runs/${runId}/progress`)).json());
  expect(progress.cost).toEqual(cost);
});

it('a step without a price counts in units only, and a step without units costs nothing', async () => {
  await price('send-message', '0.5');
  const { id } = await write('mei, manager', { chain });
  const { cost } = await reportOf(await begunRun(id, [10, 4]));
  expect(cost).toMatchObject({ units: 24, amount: '2.00', steps: [{ units: 20, amount: null }, { amount: '2.00' }] });
  const free = await write();
  expect((await reportOf(await begunRun(free.id, [10, 4]))).cost).toBeUndefined();
});

it('a test costs its live steps, and a dry run shows the expected cost of a live run', async () => {
  await price('award-reward', '1');
  await price('send-message', '1');
  const { id } = await write('mei, manager', { chain });
  const test = await begunRun(id, [10, 4]);
  await on.pool.query(`update runs set kind = 'test', step_modes = '{test,live}' where id = $1`, [uuidOf('run', test)]);
  expect((await reportOf(test)).cost).toMatchObject({ units: 4, amount: '4.00' });
  on.deps.clock.advance(1000);
  const dry = await begunRun(id, [10, 4], { kind: 'dry-run' });
  expect((await reportOf(dry)).cost).toMatchObject({ units: 24, amount: '24.00' });
});

it('an estimate shows the cost of the fewest and the most users at current prices', async () => {
  await price('award-reward', '0.05');
  const audience = { include: [{ segment: 'riders' }, { segment: 'vip' }], holdOutPercent: 10 };
  const { id } = await write('mei, manager', { chain, audience, countries: ['SG'] });
  const { cost } = campaignEstimate.parse((await on.ask('POST', `/v1/campaigns/${id}/estimate`)).json());
  expect(cost).toEqual({
    currency: 'SGD',
    atLeast: { units: 2700, amount: '90.00' },
    atMost: { units: 5400, amount: '180.00' },
  });
  const body = { chain, audience, countries: ['SG'], name: 'Payday' };
  expect((await on.ask('POST', '/v1/campaigns/preview', body)).json()).toMatchObject({ cost });
});

it.each(['0.1234567', '-1', '1e3', 'free'])('a price is a decimal, not %s', async (each) => {
  const answer = await on.ask('PATCH', '/v1/action-types/award-reward', { price: each });
  expect(answer.json()).toMatchObject({ status: 422, errors: [{ pointer: '/price' }] });
});
