import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { rewardThenMessage } from '../e2e/installation.ts';
import { compareNeighbour, undisturbed } from './support/neighbours.ts';
import { patientCalls, startTrial, type Trial } from './support/trial.ts';

const segment = 'lapsed-riders';
const naiveSinks = { SANDBOX_REWARDS_MEMORY: 'none', SANDBOX_MESSAGES_MEMORY: 'none' };

describe('topics that are deleted or not writable', () => {
  let trial: Trial;
  beforeAll(async () => {
    trial = await startTrial({
      workers: 2,
      sandbox: {
        ...naiveSinks,
        // Each run takes 8 s. A deleted topic costs all workers one rebalance, which takes up to a second on a busy
        // machine.
        SANDBOX_SEGMENTS: `${segment}=60000`,
        SANDBOX_COUNTRIES: 'SG=1,ID=1,VN=1',
        SANDBOX_REWARDS_LATENCY_MS: '200-300',
        SANDBOX_MESSAGES_LATENCY_MS: '200-300',
      },
      engine: { ...patientCalls, WORKER_CONCURRENCY: '20' },
    });
  });
  afterAll(() => trial.end());

  const start = (countries: readonly string[]) =>
    trial.muster.api.run({ name: countries.join(), countries, segment, chain: rewardThenMessage });

  it.each(['award-reward', 'send-message'])(
    'row 14: the run finishes although the topic of %s in one country is deleted',
    async (action) => {
      const runId = await start(trial.muster.countries);
      await trial.awaitCalls(runId, action === 'award-reward' ? 1 : 2, 40);
      trial.injections.happened('topic deleted', action);
      await trial.topics.delete(trial.topic(action, 'VN'));

      await trial.awaitEnd(runId, 120_000);
      expect(await trial.judge(runId, { rows: '14', scenario: `${action} deleted`, segment })).toEqual([]);
    },
  );

  it('row 40: an unwritable topic affects no other topic, and its run continues once it is writable', async () => {
    const topic = trial.topic('send-message', 'VN');
    let healed: (() => void) | undefined;
    const { neighbour, other, seconds } = await compareNeighbour(trial, {
      neighbour: () => start(['SG', 'ID']),
      other: () => start(['VN']),
      step: 2,
      breakIt: async () => {
        healed = trial.injections.begin('unwritable', topic);
        await trial.topics.writable(topic, false);
      },
      isBroken: async (runId) => (await trial.batchesCalled(runId, 1)) > 20,
      healIt: async () => {
        await trial.topics.writable(topic, true);
        healed?.();
      },
    });
    await trial.awaitEnd(other, 120_000);

    expect(seconds.beside).toBeLessThanOrEqual(undisturbed(seconds.without));
    const measured = { 'neighbour s': seconds.beside, 'without s': seconds.without };
    expect(
      await trial.judge(neighbour, { rows: '40', scenario: 'beside an unwritable topic', segment, measured }),
    ).toEqual([]);
    expect(await trial.judge(other, { rows: '40', scenario: 'unwritable topic', segment })).toEqual([]);
  });

  it('row 40: a topic that is deleted and missing for a while affects no other topic', async () => {
    const topic = trial.topic('award-reward', 'VN');
    const { neighbour, other, seconds } = await compareNeighbour(trial, {
      neighbour: () => start(['SG', 'ID']),
      other: () => start(['VN']),
      step: 2,
      breakIt: async () => {
        trial.injections.happened('topic deleted', topic);
        await trial.topics.delete(topic);
      },
      isBroken: () => Promise.resolve(true),
      healIt: () => Promise.resolve(),
    });
    await trial.awaitEnd(other, 120_000);

    expect(seconds.beside).toBeLessThanOrEqual(undisturbed(seconds.without));
    const measured = { 'neighbour s': seconds.beside, 'without s': seconds.without };
    expect(await trial.judge(neighbour, { rows: '40', scenario: 'beside a deleted topic', segment, measured })).toEqual(
      [],
    );
    expect(await trial.judge(other, { rows: '40', scenario: 'deleted topic', segment })).toEqual([]);
  });
});

describe('row 39: workers of different subscriptions', () => {
  let trial: Trial;
  afterEach(() => trial.end());

  it('consume every partition, with one deployment for rewards and one for messages', async () => {
    trial = await startTrial({
      workers: 4,
      sandbox: { ...naiveSinks, SANDBOX_SEGMENTS: `${segment}=20000` },
      engine: patientCalls,
      engineOf: {
        'worker-1': { WORKER_ACTION_TYPES: 'award-reward' },
        'worker-2': { WORKER_ACTION_TYPES: 'award-reward' },
        'worker-3': { WORKER_ACTION_TYPES: 'send-message' },
        'worker-4': { WORKER_ACTION_TYPES: 'send-message', WORKER_COUNTRIES: 'SG' },
      },
    });
    const runId = await trial.muster.api.run({
      name: 'Two deployments',
      countries: trial.muster.countries,
      segment,
      chain: rewardThenMessage,
    });
    await trial.awaitEnd(runId);
    expect(await trial.judge(runId, { rows: '39', scenario: 'two deployments', segment })).toEqual([]);
  });

  it('delay neither the old countries nor the new one during a roll-out that adds a country', async () => {
    trial = await startTrial({
      workers: 2,
      sandbox: { ...naiveSinks, SANDBOX_SEGMENTS: `${segment}=24000`, SANDBOX_COUNTRIES: 'SG=1,ID=1,VN=1,TH=1' },
      engine: patientCalls,
    });
    const { muster } = trial;
    const path = muster.writeConfig((config) => ({ ...config, countries: [...config.countries, 'TH'] }));
    await muster.createTopics(['TH']);
    const start = (countries: readonly string[]) =>
      muster.api.run({ name: countries.join(), countries, segment, chain: rewardThenMessage });
    const old = await start(muster.countries);
    await trial.awaitCalls(old, 1, 20);
    for (const name of ['api', 'trigger', 'worker-1']) {
      await trial.stop(name);
      await muster.restart(name, { MUSTER_CONFIG: path });
    }
    // worker-2 keeps its configuration: the roll-out stops halfway.
    const added = await start([...muster.countries, 'TH']);

    await trial.awaitEnd(old);
    await trial.awaitEnd(added);
    expect(await trial.judge(old, { rows: '39', scenario: 'roll-out, old run', segment })).toEqual([]);
    expect(await trial.judge(added, { rows: '39', scenario: 'roll-out, new country', segment })).toEqual([]);
  });
});
