import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { rewardThenMessage } from '../e2e/installation.ts';
import { patientCalls, startTrial, type Trial } from './support/trial.ts';
import { lasting, until } from './support/until.ts';

const segment = 'lapsed-riders';
/** Segment of a run that begins after a fault. */
const later = 'later-riders';
/** Milliseconds after which a publisher reads the partitions of its topics again. */
const publisherMetadataMs = 30_000;
const minutes = 60_000;

/**
 * Faults of the workers' consumer group and its topics. Endpoints without memory reveal every key that is called twice.
 */
describe('the consumer group of the workers', () => {
  let trial: Trial;
  afterEach(() => trial.end());

  async function begin(users: number, workers: number, latencyMs: string, concurrency: number): Promise<string> {
    trial = await startTrial({
      workers,
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=${users},${later}=10000`,
        SANDBOX_REWARDS_MEMORY: 'none',
        SANDBOX_MESSAGES_MEMORY: 'none',
        SANDBOX_REWARDS_LATENCY_MS: latencyMs,
        SANDBOX_MESSAGES_LATENCY_MS: latencyMs,
      },
      engine: { ...patientCalls, WORKER_CONCURRENCY: String(concurrency) },
    });
    const { api, countries } = trial.muster;
    return await api.run({ name: 'In one group', countries, segment, chain: rewardThenMessage });
  }

  /**
   * Starts a worker and waits until it has joined. On a busy machine a start can take more than 3 s, and a worker that
   * leaves before it has joined causes no rebalance.
   */
  async function join(name: string): Promise<void> {
    const joined = () => {
      const service = trial.muster.services.get(name);
      return service ? readFileSync(service.logFile, 'utf8').split('worker takes work').length - 1 : 0;
    };
    const before = joined();
    await trial.restart(name);
    await until(`${name} takes work`, () => joined() > before);
  }

  it('row 27: never stops and calls no key twice while a worker joins or leaves every 3 s for 5 min', async () => {
    // The run has more work than three workers can call during the storm.
    const runId = await begin(450_000, 2, '900-1300', 10);
    await trial.awaitCalls(runId, 1, 20);
    const over = trial.injections.begin('rebalance storm', 'every 3 s for 5 min');
    const callsOfWindows: number[] = [];
    const calls = async () => (await trial.batchesCalled(runId, 1)) + (await trial.batchesCalled(runId, 2));
    for (const since = performance.now(); performance.now() - since < 5 * minutes;) {
      const before = await calls();
      for (let change = 0; change < 6; change++) {
        if (change % 2 === 0) await join('worker-3');
        else expect(await trial.stop('worker-3')).toBe(0);
        await lasting(3000);
      }
      callsOfWindows.push((await calls()) - before);
    }
    over();
    expect((await trial.muster.api.report(runId)).state).toBe('running');

    await trial.awaitEnd(runId, 10 * minutes);
    expect(Math.min(...callsOfWindows)).toBeGreaterThan(0);
    const measured = {
      'fewest calls of six changes': Math.min(...callsOfWindows),
      'most calls of six changes': Math.max(...callsOfWindows),
    };
    expect(await trial.judge(runId, { rows: '27', scenario: 'rebalance storm', segment, measured })).toEqual([]);
  }, 1_200_000);

  it('row 28: skips no message and uses new partitions that are added under load', async () => {
    const runId = await begin(120_000, 2, '400-800', 10);
    await trial.awaitCalls(runId, 2, 20);
    const { api, countries } = trial.muster;
    const topics = countries.flatMap((country) =>
      ['award-reward', 'send-message'].map((action) => trial.topic(action, country)),
    );
    for (const topic of topics) {
      trial.injections.happened('partitions added', topic);
      await trial.topics.addPartitions(topic, 8);
    }
    // The trigger may feed the whole first run before it knows the new partitions. It feeds the second run afterwards.
    await lasting(publisherMetadataMs);
    const laterRunId = await api.run({
      name: 'After more partitions',
      countries,
      segment: later,
      chain: rewardThenMessage,
    });

    for (const each of [runId, laterRunId]) await trial.awaitEnd(each, 4 * minutes);
    const inNewOnes = await Promise.all(topics.map(async (topic) => sumOf((await trial.topics.ends(topic)).slice(4))));
    expect(sumOf(inNewOnes)).toBeGreaterThan(0);
    const measured = { 'messages in new partitions': sumOf(inNewOnes) };
    expect(await trial.judge(runId, { rows: '28', scenario: 'partitions added', segment, measured })).toEqual([]);
    const laterScenario = { rows: '28', scenario: 'a run after partitions were added', segment: later };
    expect(await trial.judge(laterRunId, laterScenario)).toEqual([]);
  }, 600_000);

  it.each(['earliest', 'latest'] as const)(
    'row 29: loses no message and calls no key twice if its offsets are moved to the %s',
    async (to) => {
      const runId = await begin(20_000, 2, '200-400', 10);
      await trial.awaitCalls(runId, 2, 40);
      for (const name of trial.names('worker')) expect(await trial.stop(name)).toBe(0);
      trial.injections.happened('offsets moved', to);
      await trial.topics.moveOffsets(trial.muster.topicPrefix, to);
      await trial.restart(...trial.names('worker'));

      await trial.awaitEnd(runId, 4 * minutes);
      expect(await trial.judge(runId, { rows: '29', scenario: `offsets moved to ${to}`, segment })).toEqual([]);
    },
    600_000,
  );
});

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
