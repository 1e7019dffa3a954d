import { afterEach, describe, expect, inject, it } from 'vitest';
import { rewardThenMessage } from '../e2e/installation.ts';
import { startPostgresPair, type PairedServer } from '../support/postgres-pair.ts';
import { startTrial } from './support/trial.ts';
import { until } from './support/until.ts';

const segment = 'lapsed-riders';

const started: { end: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const { end } of started.splice(0).toReversed()) await end();
});

describe('row 62: a Postgres switchover with both servers in DATABASE_URL', () => {
  it('is followed by an all-in-one process to the new leader and back, and no user is lost or served twice', async () => {
    const pair = await startPostgresPair();
    started.push(pair);
    const trial = await startTrial({
      workers: 'all-in-one',
      servers: { databaseUrl: pair.databaseUrl, kafkaBrokers: inject('kafkaBrokers') },
      // The sinks have no memory, so a second call of a recorded key would have a second effect.
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=20000`,
        SANDBOX_REWARDS_MEMORY: 'none',
        SANDBOX_REWARDS_LATENCY_MS: '500',
        SANDBOX_MESSAGES_MEMORY: 'none',
        SANDBOX_MESSAGES_LATENCY_MS: '500',
      },
      // Leases last longer than a switchover, so no claim expires during one, and a second call of a key would be an
      // error.
      engine: { WORKER_LEASE_MS: '120000', WORKER_CONCURRENCY: '4' },
      configure: (config) => {
        for (const type of Object.values(config.actionTypes)) type.timeoutMs = 10_000;
        return config;
      },
    });
    started.push(trial);
    const { api, countries } = trial.muster;
    const runId = await api.run({ name: 'Switched', countries, segment, chain: rewardThenMessage });
    const called = async () => (await trial.batchesCalled(runId, 1)) + (await trial.batchesCalled(runId, 2));
    await trial.awaitCalls(runId, 1, 5);

    const switchOver = async (from: PairedServer, to: PairedServer) => {
      const done = trial.injections.begin('switch-over', from.name);
      await from.stop();
      await to.promote();
      await from.follow();
      const before = await called();
      await until(`batches are called while ${to.name} leads`, async () => (await called()) > before, 30_000);
      done();
    };
    await switchOver(pair.one, pair.two);
    expect((await api.report(runId)).state, 'it has to be switched back under load').toBe('running');
    await switchOver(pair.two, pair.one);

    await trial.awaitEnd(runId, 180_000);
    const scenario = 'leader switched over, several servers in the URL';
    expect(await trial.judge(runId, { rows: '62', scenario, segment })).toEqual([]);
  });
});
