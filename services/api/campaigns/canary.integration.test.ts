import { describe, expect, it } from 'vitest';
import { campaign } from '../../../shared/contracts/campaigns/campaigns.ts';
import { publicId, uuidOf } from '../../../shared/domain/ids/ids.ts';
import { someCampaign } from '../../../test/support/api-deps.ts';
import { startRun } from '../../../test/support/conformance/execution-subject.ts';
import { createPostgresExecutionStores } from '../../../test/support/postgres-execution-stores.ts';
import { nextSteps } from '../runs/run-view.ts';
import { isInPart } from '../../../shared/domain/run/split.ts';
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

describe('a run that waits for the choice of a variant', () => {
  const variants = ['A', 'B'].map((name) => ({ name, weight: 5000, params: {} }));
  const chain = [{ action: 'award-reward', params: {}, variants }];
  const canary = { percent: 20, then: 'choose-variant' as const };

  async function waiting() {
    const subject = createPostgresExecutionStores(on);
    const { runId } = await startRun(subject, { chain, canary, splitSeed: 'december' });
    await subject.runs.pauseForCanary(
      runId,
      'canary: 200 users have ended, none failed; a person has to choose a variant',
    );
    await subject.runs.settlePause(runId);
    return { id: publicId('run', runId), claimed: () => subject.feeds.claim('u', 1000, 10, 'all') };
  }
  const resume = (id: string, body: object = {}) => on.ask('POST', `/v1/runs/${id}/resume`, body);
  const refused = (code: string) => ({ status: 422, errors: [{ pointer: '/variant', code }] });

  it('is resumed only with one of its variants, which is in its history and final', async () => {
    const { id, claimed } = await waiting();
    expect((await resume(id)).json()).toMatchObject(refused('choice-needed'));
    expect((await resume(id, { variant: 'C' })).json()).toMatchObject(refused('unknown-variant'));
    const choice = { options: ['A', 'B'], chosen: null };
    const progress = (await on.ask('GET', `/v1/runs/${id}/progress`)).json<object>();
    expect(progress).toMatchObject({ state: 'paused', canary: 'waits', variantChoice: choice });
    expect(progress).toHaveProperty('stall.nextStep', nextSteps.choice);
    expect(await claimed()).toEqual([]);
    for (const _ of [1, 2]) {
      const chosen = { state: 'running', canary: 'over', variantChoice: { ...choice, chosen: 'B' } };
      expect((await resume(id, { variant: 'B' })).json()).toMatchObject({ run: chosen });
    }
    expect((await resume(id, { variant: 'A' })).json()).toMatchObject(refused('no-choice'));
    const { items } = (await on.ask('GET', `/v1/runs/${id}/events`)).json<{
      items: { kind: string; detail: object }[];
    }>();
    expect(items.filter(({ kind }) => kind === 'resumed')).toMatchObject([{ detail: { variant: 'B' } }]);
    expect(await on.rowsOf('feeds')).toMatchObject([{ variant: 1 }, { variant: 2 }, { variant: 2 }]);
    // A later pause needs no further choice.
    await on.ask('POST', `/v1/runs/${id}/pause`);
    expect((await resume(id)).statusCode).toBe(200);
  });

  it('tells users outside the canary that they wait for it', async () => {
    const { id } = await waiting();
    const outside = ['u1', 'u2', 'u3', 'u4', 'u5', 'u6', 'u7', 'u8'].find((user) =>
      isInPart({ seed: 'december', from: 2000, to: 10_000 }, user),
    );
    const explained = (await on.ask('GET', `/v1/runs/${id}/users/${outside ?? ''}`)).json<object>();
    expect(explained).toMatchObject({ variant: null, audience: { place: 'not-fed-yet' } });
    expect(explained).toHaveProperty('audience.detail', expect.stringContaining('waits until a variant is chosen'));
  });

  it('is the only run that takes a variant', async () => {
    const id = await waitingRun();
    expect((await resume(id, { variant: 'A' })).json()).toMatchObject(refused('no-choice'));
    expect((await on.ask('GET', `/v1/runs/${id}`)).json()).toMatchObject({ canary: 'waits', variantChoice: null });
  });

  it('needs variants at the start that sets its canary', async () => {
    const id = campaign.parse((await on.ask('POST', '/v1/campaigns', someCampaign)).json()).id;
    const errors = [{ pointer: '/canary/then', code: 'no-variants' }];
    expect((await on.ask('POST', `/v1/campaigns/${id}/start`, { canary })).json()).toMatchObject({
      status: 422,
      errors,
    });
  });
});
