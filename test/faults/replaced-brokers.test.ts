import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { cancelRun } from '../../sdk/generated/sdk.gen.ts';
import { rewardThenMessage } from '../e2e/installation.ts';
import { scheduleAllTheWhile } from './support/callbacks-all-the-while.ts';
import { startCallbackTrial, type CallbackTrial } from './support/callback-trial.ts';
import { startOwnKafka, type OwnKafka } from './support/own-kafka.ts';
import { patientCalls } from './support/trial.ts';
import { until } from './support/until.ts';

const segment = 'lapsed-riders';
const minutes = 60_000;

describe('row 11: the replacement of three brokers one after another by empty ones', () => {
  let kafka: OwnKafka;
  let trial: CallbackTrial;
  beforeAll(async () => {
    kafka = await startOwnKafka(3);
  });
  afterEach(() => trial.end());
  afterAll(() => kafka.end());

  it('loses no message and calls no user twice under load', async () => {
    trial = await startCallbackTrial({
      workers: 2,
      triggers: 2,
      servers: { databaseUrl: inject('databaseUrl'), kafkaBrokers: kafka.brokers },
      configure: (config) => ({ ...config, replicationFactor: 3 }),
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=250000`,
        // The sinks have no memory, so a repeated call would have a second effect.
        SANDBOX_REWARDS_MEMORY: 'none',
        SANDBOX_MESSAGES_MEMORY: 'none',
        SANDBOX_REWARDS_LATENCY_MS: '400-800',
        SANDBOX_MESSAGES_LATENCY_MS: '400-800',
      },
      engine: { ...patientCalls, WORKER_CONCURRENCY: '10' },
    });
    const { api, countries, topicPrefix } = trial.muster;
    const runId = await api.run({ name: 'On new brokers', countries, segment, chain: rewardThenMessage });
    const batchesCalled = async () => (await trial.batchesCalled(runId, 1)) + (await trial.batchesCalled(runId, 2));
    await until('batches are called', async () => (await batchesCalled()) > 20);
    const stopScheduling = scheduleAllTheWhile(trial);

    for (const node of kafka.nodes) {
      const back = trial.injections.begin('broker replaced', `broker ${node}`);
      await kafka.replace(node);
      await until('it has a copy of all that it is to have', async () => {
        const missing = await trial.topics.lacking(topicPrefix);
        if (missing.length > 0) throw new Error(missing.join());
        return true;
      });
      back();
      const [batches, calls] = [await batchesCalled(), trial.receiver.calls().length];
      await until('batches are called after it', async () => (await batchesCalled()) > batches + 10);
      await until('callbacks too', () => trial.receiver.calls().length > calls);
    }
    await stopScheduling();
    await trial.awaitEnded();
    // The run is longer than any machine needs for the fault, so the test ends it.
    await cancelRun({ client: api.client, path: { id: runId }, body: {} });
    await trial.awaitEnd(runId, 3 * minutes);
    const measured = { callbacks: trial.accepted.size };
    const campaigns = { rows: '11', scenario: 'brokers replaced', segment, measured };
    expect(await trial.judge(runId, { ...campaigns, allow: { runStates: ['cancelled'] } })).toEqual([]);
    expect(await trial.judgeCallbacks({ rows: '11', scenario: 'brokers replaced, callbacks' })).toEqual([]);
  }, 420_000);
});
