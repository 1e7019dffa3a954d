import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { rewardThenMessage, type EngineConfigFile } from '../e2e/installation.ts';
import { startCallbackTrial, type CallbackTrial } from '../faults/support/callback-trial.ts';
import { startTrial, type Trial } from '../faults/support/trial.ts';
import { until } from '../faults/support/until.ts';
import { startPatroniCluster, type PatroniCluster } from './patroni-cluster.ts';

const segment = 'lapsed-riders';
const failovers = Number(process.env['FAILOVERS'] ?? 10);
const callsWithinMs = 30_000;
/** Without memory: what is called again although it was recorded would be two effects. */
const naiveSinks = {
  SANDBOX_REWARDS_MEMORY: 'none',
  SANDBOX_REWARDS_LATENCY_MS: '1000-2000',
  SANDBOX_MESSAGES_MEMORY: 'none',
  SANDBOX_MESSAGES_LATENCY_MS: '1000-2000',
};

/** The machine is busy: an answer that comes too late would be asked for again. */
function patient(config: EngineConfigFile): EngineConfigFile {
  for (const type of Object.values(config.actionTypes)) type.timeoutMs = 10_000;
  return config;
}

describe('row 62: Postgres fails over to its synchronous standby under load', () => {
  let cluster: PatroniCluster;
  let campaigns: Trial;
  let callbacks: CallbackTrial;
  const started: { end: () => Promise<void> }[] = [];

  beforeAll(async () => {
    started.push((cluster = await startPatroniCluster()));
    const servers = { databaseUrl: cluster.databaseUrl, kafkaBrokers: inject('kafkaBrokers') };
    // Longer than a failover: no claim runs out meanwhile, so that a second call of a key would be an error.
    const engine = { WORKER_LEASE_MS: '120000', WORKER_CONCURRENCY: '10', DISPATCHER_LEASE_MS: '120000' };
    const sandbox = { ...naiveSinks, SANDBOX_SEGMENTS: `${segment}=40000` };
    started.push((campaigns = await startTrial({ workers: 2, servers, sandbox, engine, configure: patient })));
    started.push((callbacks = await startCallbackTrial({ servers, engine })));
  }, 300_000);
  afterAll(async () => {
    for (const { end } of started.toReversed()) await end();
  });

  it(
    'nobody is lost or served twice, and calls go on within 30 s of the new leader',
    { timeout: 1_800_000 },
    async () => {
      const runs: string[] = [];
      for (let done = 0; done < failovers; done++) {
        const leader = await cluster.awaitSafeLeader();
        const { countries, api } = campaigns.muster;
        const runId = await api.run({ name: `Run ${done}`, countries, segment, chain: rewardThenMessage });
        runs.push(runId);
        const batchesCalled = async () =>
          (await campaigns.batchesCalled(runId, 1)) + (await campaigns.batchesCalled(runId, 2));
        await campaigns.awaitCalls(runId, 1, 20);
        await callbacks.schedule({ count: 300, spreadMs: 60_000 });

        // Every third in order, the others as if its machine were gone.
        const isPlanned = done % 3 === 2;
        const back = campaigns.injections.begin(isPlanned ? 'switchover' : 'leader killed', leader);
        await (isPlanned ? cluster.switchOver(leader) : cluster.kill(leader));
        const next = await cluster.awaitOtherLeader(leader);
        const [batches, calls] = [await batchesCalled(), callbacks.receiver.calls().length];
        const which = `${next} leads, failover ${done + 1} of ${failovers}`;
        await Promise.all([
          until(`batches are called while ${which}`, async () => (await batchesCalled()) > batches, callsWithinMs),
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
});
