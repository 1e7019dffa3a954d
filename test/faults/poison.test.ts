import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { rewardThenMessage } from '../e2e/installation.ts';
import { startReplay } from './support/replay.ts';
import { patientCalls, startTrial, type Trial } from './support/trial.ts';

const segment = 'lapsed-riders';
/** The sinks of both steps have no memory, so a message that is handled twice would have two effects. */
const naiveSinks = { SANDBOX_REWARDS_MEMORY: 'none', SANDBOX_MESSAGES_MEMORY: 'none' };

describe('unexpected messages', () => {
  let trial: Trial;
  afterEach(() => trial.end());

  it('row 25: are quarantined with their bytes at the head of every partition, and the partitions proceed', async () => {
    trial = await startTrial({
      workers: 2,
      sandbox: { ...naiveSinks, SANDBOX_SEGMENTS: `${segment}=10000` },
      engine: patientCalls,
    });
    const poison = [
      Buffer.from('no JSON'),
      Buffer.from('{"feedId":"no uuid","step":1,"batchNos":[1],"remaining":[1]}'),
      Buffer.from('['.repeat(200_000)),
      Buffer.from([0x00, 0xff, 0xfe, 0x80]),
      null,
    ];
    const wellFormed = [
      // These references name a feed and batches that do not exist, so their claims find nothing.
      { feedId: randomUUID(), step: 1, batchNos: [1], remaining: [100] },
      { feedId: randomUUID(), step: 32767, batchNos: [2147483647], remaining: [1000] },
    ].map((message) => Buffer.from(JSON.stringify(message)));
    for (const country of trial.muster.countries) {
      for (const action of ['award-reward', 'send-message']) {
        for (let partition = 0; partition < 4; partition++) {
          await trial.topics.produce(trial.topic(action, country), partition, [...poison, ...wellFormed]);
        }
      }
    }
    trial.injections.happened('poison', 'every partition');
    const runId = await trial.muster.api.run({
      name: 'Behind poison',
      countries: trial.muster.countries,
      segment,
      chain: rewardThenMessage,
    });

    await trial.awaitEnd(runId);
    expect(await trial.judge(runId, { rows: '25', scenario: 'poison', segment })).toEqual([]);
    const partitions = trial.muster.countries.length * 2 * 4;
    const kept = await trial.database.rows<{ value: Buffer | null }>(
      'select distinct on (topic, partition, "offset") value from dead_letters',
    );
    for (const value of poison) {
      const same = kept.filter((row) => (value === null ? row.value === null : row.value?.equals(value) === true));
      expect(same).toHaveLength(partitions);
    }
  });

  it('row 26: cause no second call of a user if one message in five is redelivered late and unordered', async () => {
    trial = await startTrial({
      workers: 3,
      sandbox: {
        ...naiveSinks,
        SANDBOX_SEGMENTS: `${segment}=120000`,
        SANDBOX_REWARDS_LATENCY_MS: '50-150',
        SANDBOX_MESSAGES_LATENCY_MS: '50-150',
      },
      engine: patientCalls,
    });
    const topics = trial.muster.countries.flatMap((country) =>
      ['award-reward', 'send-message'].map((action) => trial.topic(action, country)),
    );
    const replay = await startReplay(trial.muster.kafkaBrokers, topics, 0.2);
    const stopped = trial.injections.begin('replay', 'all topics');
    const runId = await trial.muster.api.run({
      name: 'Again',
      countries: trial.muster.countries,
      segment,
      chain: rewardThenMessage,
    });
    await trial.awaitEnd(runId);
    stopped();
    const replayed = await replay.stop();

    expect(replayed).toBeGreaterThan(20);
    const measured = { 'messages replayed': replayed };
    expect(await trial.judge(runId, { rows: '26', scenario: 'replayed', segment, measured })).toEqual([]);
  });
});
