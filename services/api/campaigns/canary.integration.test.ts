import { describe, expect, it } from 'vitest';
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

it('the canary of a campaign is a number or a share of its users', async () => {
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

describe('a canary that the start of a campaign sets', () => {
  const drafted = async (changes: object = {}) =>
    campaign.parse((await on.ask('POST', '/v1/campaigns', { ...someCampaign, ...changes })).json()).id;
  const started = (id: string, canary: object) => on.ask('POST', `/v1/campaigns/${id}/start`, { canary });
  const settings = async () => (await on.rowsOf('run_starts')).map((row) => row['settings']);

  it('applies only to the started run, and is in the audit log', async () => {
    const id = await drafted();
    const answer = await started(id, { users: 100 });
    expect(answer.statusCode, answer.body).toBe(200);
    expect(answer.json()).toMatchObject({ state: 'scheduled', revision: 1 });
    expect(answer.json()).not.toHaveProperty('canary');
    const canary = { users: 100, then: 'pause' };
    expect(await settings()).toEqual([{ canary }]);
    const { items } = (await on.ask('GET', `/v1/audit?subject=${id}`)).json<{ items: object[] }>();
    expect(items).toMatchObject([{ summary: 'started a campaign', detail: { canary } }, {}]);
  });

  it('does not replace the canary of the definition, which an approval may cover', async () => {
    const id = await drafted({ canary: { users: 10 } });
    const errors = [{ pointer: '/canary', code: 'canary-in-definition' }];
    expect((await started(id, { users: 1_000_000 })).json()).toMatchObject({ status: 422, errors });
    expect(await settings()).toEqual([]);
  });

  it.each([
    ['at a time', { type: 'at', time: '2127-01-15T09:00:00', zone: 'Asia/Singapore' }],
    ['again and again', { type: 'recurring', cron: '0 9 * * *', zone: 'Asia/Singapore' }],
  ])(
    'is refused for a run that begins %s, because only the definition may then have a canary',
    async (_when, schedule) => {
      const id = await drafted({ schedule });
      const errors = [{ pointer: '/canary', code: 'starts-later' }];
      expect((await started(id, { users: 10 })).json()).toMatchObject({ status: 422, errors });
    },
  );

  it('is refused if a person has to choose a variant after it, and no step has variants', async () => {
    const answer = await started(await drafted(), { percent: 20, then: 'choose-variant' });
    expect(answer.json()).toMatchObject({ status: 422, errors: [{ pointer: '/canary/then', code: 'no-variants' }] });
    expect(await settings()).toEqual([]);
  });

  it('is refused for a campaign that is already started, because it would have no effect', async () => {
    const id = await drafted();
    await on.ask('POST', `/v1/campaigns/${id}/start`);
    expect(await started(id, { users: 10 }).then((answer) => answer.json<object>())).toMatchObject({
      status: 409,
      code: 'state-forbids',
    });
    expect(await settings()).toEqual([{}]);
  });
});

it('a run that waits after its canary shows in its progress what a person can do, and continues when it is resumed', async () => {
  const id = await waitingRun();
  const progress = (await on.ask('GET', `/v1/runs/${id}/progress`)).json<{ stall: { nextStep: string } }>();
  expect(progress).toMatchObject({ canary: 'waits', stall: { by: 'pause' } });
  expect(progress.stall.nextStep).toMatch(/resume the run for all others/);
  expect((await on.ask('POST', `/v1/runs/${id}/resume`)).statusCode).toBe(200);
  expect((await on.ask('GET', `/v1/runs/${id}`)).json()).toMatchObject({ state: 'running', canary: 'over' });
});

it('a run that waits after its canary can be paused with a reason and resumed later', async () => {
  const id = await waitingRun();
  const pause = () => on.ask('POST', `/v1/runs/${id}/pause`, { reason: 'asking the shop' });
  const paused = { state: 'paused', canary: 'waits', stateReason: 'paused by a test: asking the shop' };
  expect((await pause()).json()).toMatchObject({ run: paused });
  expect((await pause()).json()).toMatchObject({ run: paused });
  const { items } = (await on.ask('GET', `/v1/runs/${id}/events`)).json<{ items: { kind: string }[] }>();
  expect(items.filter(({ kind }) => kind === 'pausing')).toHaveLength(1);
  await on.ask('POST', `/v1/runs/${id}/resume`);
  expect((await on.ask('GET', `/v1/runs/${id}`)).json()).toMatchObject({ state: 'running', canary: 'over' });
});
