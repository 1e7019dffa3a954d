import { expect, it } from 'vitest';
import { campaign } from '../../../shared/contracts/campaigns/campaigns.ts';
import { publicId, uuidOf } from '../../../shared/domain/ids/ids.ts';
import { someCampaign } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';

const on = apiOnPostgres();

const create = (canary: object) => on.ask('POST', '/v1/campaigns', { ...someCampaign, canary });

async function waitingRun(): Promise<string> {
  const { id } = campaign.parse((await create({ users: 100 })).json());
  const campaignId = uuidOf('campaign', id) ?? expect.fail(id);
  const scheduledFor = new Date(on.deps.clock.nowMs());
  const startedAt = scheduledFor;
  const runId = await on.deps.rows.addRun({ campaignId, revision: 1, scheduledFor, startedAt, state: 'paused' });
  await on.pool.query(`update runs set canary = 'waits', state_reason = 'canary: 100 users have ended, none failed'`);
  return publicId('run', runId);
}

it('a canary is a number of users or a share of them', async () => {
  expect((await create({ users: 1000, then: 'pause' })).json()).toMatchObject({
    canary: { users: 1000, then: 'pause' },
  });
  expect((await create({ percent: 0.5, maxFailedPercent: 2 })).json()).toMatchObject({
    canary: { percent: 0.5, then: 'pause', maxFailedPercent: 2 },
  });
  const wrong: [object, string][] = [
    [{}, '/canary/users'],
    [{ users: 10, percent: 5 }, '/canary/percent'],
    [{ users: 0 }, '/canary/users'],
    [{ percent: 100 }, '/canary/percent'],
    [{ users: 10, then: 'cancel' }, '/canary/then'],
  ];
  for (const [canary, pointer] of wrong) {
    expect((await create(canary)).json(), JSON.stringify(canary)).toMatchObject({ status: 422, errors: [{ pointer }] });
  }
});

it('a run that waits after its canary says what can be done, and goes on when it is resumed', async () => {
  const id = await waitingRun();
  const progress = (await on.ask('GET', `/v1/runs/${id}/progress`)).json<{ stall: { nextStep: string } }>();
  expect(progress).toMatchObject({ canary: 'waits', stall: { by: 'pause' } });
  expect(progress.stall.nextStep).toMatch(/Resume it to go on with all the others/);
  expect((await on.ask('POST', `/v1/runs/${id}/resume`)).statusCode).toBe(200);
  expect((await on.ask('GET', `/v1/runs/${id}`)).json()).toMatchObject({ state: 'running', canary: 'over' });
});

it('a person may say that it stays paused, and lets it go on later', async () => {
  const id = await waitingRun();
  const pause = () => on.ask('POST', `/v1/runs/${id}/pause`, { reason: 'asking the shop' });
  const said = { state: 'paused', canary: 'waits', stateReason: 'paused by a test: asking the shop' };
  expect((await pause()).json()).toMatchObject({ run: said });
  expect((await pause()).json()).toMatchObject({ run: said });
  const { items } = (await on.ask('GET', `/v1/runs/${id}/events`)).json<{ items: { kind: string }[] }>();
  expect(items.filter(({ kind }) => kind === 'pausing')).toHaveLength(1);
  await on.ask('POST', `/v1/runs/${id}/resume`);
  expect((await on.ask('GET', `/v1/runs/${id}`)).json()).toMatchObject({ state: 'running', canary: 'over' });
});
