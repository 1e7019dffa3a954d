import { afterEach, describe, expect, inject, it } from 'vitest';
import type { EngineConfigFile } from '../e2e/engine-config.ts';
import { rewardThenMessage } from '../e2e/installation.ts';
import { startCallbackTrial } from '../faults/support/callback-trial.ts';
import { startTrial } from '../faults/support/trial.ts';
import { until } from '../faults/support/until.ts';
import { startPatroniCluster } from './patroni-cluster.ts';

const segment = 'lapsed-riders';
const failovers = Number(process.env['FAILOVERS'] ?? 10);
const callsWithinMs = 30_000;
/** The sinks have no memory, so a second call of a recorded key would have a second effect. */
const naiveSinks = {
  SANDBOX_REWARDS_MEMORY: 'none',
  SANDBOX_REWARDS_LATENCY_MS: '1000-2000',
  SANDBOX_MESSAGES_MEMORY: 'none',
  SANDBOX_MESSAGES_LATENCY_MS: '1000-2000',
};

/** Calls have a long time-out, because on a busy machine a late answer would lead to a repeat. */
function patient(config: EngineConfigFile): EngineConfigFile {
  for (const type of Object.values(config.actionTypes)) type.timeoutMs = 10_000;
  return config;
}

// Leases are longer than a failover, so no claim expires during one, and a second call of a key would be an error.
const engine = { WORKER_LEASE_MS: '120000', WORKER_CONCURRENCY: '10', DISPATCHER_LEASE_MS: '120000' };
const sandbox = { ...naiveSinks, SANDBOX_SEGMENTS: `${segment}=40000` };

const started: { end: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const { end } of started.splice(0).toReversed()) await end();
});

async function begin(options?: { isSynchronous: boolean }) {
  const cluster = await startPatroniCluster(options);
  started.push(cluster);
  const servers = { databaseUrl: cluster.databaseUrl, kafkaBrokers: inject('kafkaBrokers') };
  const campaigns = await startTrial({ workers: 2, servers, sandbox, engine, configure: patient });
  started.push(campaigns);
  const { countries, api } = campaigns.muster;
  const start = (name: string) => api.run({ name, countries, segment, chain: rewardThenMessage });
  const batchesCalled = async (runId: string) =>
    (await campaigns.batchesCalled(runId, 1)) + (await campaigns.batchesCalled(runId, 2));
  return { cluster, servers, campaigns, start, batchesCalled };
}

describe('row 62: Postgres fails over to its synchronous standby under load', () => {
  it(
    'loses no user, serves no user twice, and calls continue within 30 s of the new leader',
    { timeout: 1_800_000 },
    async () => {
      const { cluster, servers, campaigns, start, batchesCalled } = await begin();
      // The services of campaigns connect through the proxy. Those of callbacks find the leader themselves.
      const callbacks = await startCallbackTrial({ servers: { ...servers, databaseUrl: cluster.serversUrl }, engine });
      started.push(callbacks);
      const runs: string[] = [];
      for (let done = 0; done < failovers; done++) {
        const leader = await cluster.awaitSafeLeader();
        const runId = await start(`Run ${done}`);
        runs.push(runId);
        await campaigns.awaitCalls(runId, 1, 20);
        await callbacks.schedule({ count: 300, spreadMs: 60_000 });

        // Every third change of the leader is a planned switchover. In the others, the leader is killed as if its
        // machine were lost.
        const isPlanned = done % 3 === 2;
        const back = campaigns.injections.begin(isPlanned ? 'switchover' : 'leader killed', leader);
        await (isPlanned ? cluster.switchOver(leader) : cluster.kill(leader));
        const next = await cluster.awaitOtherLeader(leader);
        const [batches, calls] = [await batchesCalled(runId), callbacks.receiver.calls().length];
        const which = `${next} leads, failover ${done + 1} of ${failovers}`;
        await Promise.all([
          until(`batches are called while ${which}`, async () => (await batchesCalled(runId)) > batches, callsWithinMs),
          until(`callbacks are called while ${which}`, () => callbacks.receiver.calls().length > calls, callsWithinMs),
        ]);
        back();
        if (!isPlanned) await cluster.start(leader);
      }

      for (const runId of runs) await campaigns.awaitEnd(runId, 600_000);
      for (const [place, runId] of runs.entries()) {
        const scenario = `Postgres fails over, run ${place + 1}`;
        expect(await campaigns.judge(runId, { rows: '62', scenario, segment })).toEqual([]);
      }
      await callbacks.awaitEnded(300_000);
      expect(await callbacks.judgeCallbacks({ rows: '62', scenario: 'Postgres fails over, callbacks' })).toEqual([]);
    },
  );

  it(
    'loses records of an asynchronous standby, so that users are served twice (control)',
    { timeout: 900_000 },
    async () => {
      const { cluster, campaigns, start, batchesCalled } = await begin({ isSynchronous: false });
      const leader = await cluster.awaitSafeLeader();
      const runId = await start('Run');
      await campaigns.awaitCalls(runId, 1, 20);
      await cluster.cutOff();
      const batches = await batchesCalled(runId);
      await until('batches were called since', async () => (await batchesCalled(runId)) >= batches + 40);
      await cluster.kill(leader);
      await cluster.awaitOtherLeader(leader);
      await campaigns.awaitEnd(runId, 600_000);
      const scenario = 'control: asynchronous standby';
      expect(await campaigns.judge(runId, { rows: '62', scenario, segment })).toContainEqual(
        expect.stringMatching(/^I2: /),
      );
    },
  );
});
