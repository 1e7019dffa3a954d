import { expect, it } from 'vitest';
import { z } from 'zod';
import { rewardThenMessage } from '../e2e/installation.ts';
import { publishFigures, readFigures } from '../faults/support/figures.ts';
import { createInjections } from '../faults/support/injections.ts';
import { startOwnKafka, type OwnKafka } from '../faults/support/own-kafka.ts';
import { startOwnPostgres, type OwnPostgres } from '../faults/support/own-postgres.ts';
import { startTcpProxy } from '../faults/support/tcp-proxy.ts';
import { startTrial } from '../faults/support/trial.ts';
import { lasting, until } from '../faults/support/until.ts';
import { inject, type Arena } from './inject.ts';
import { describeMoment, planOf, type PlannedMoment } from './plan.ts';
import { totalsOf } from './totals.ts';

/**
 * Runs the random mix on real processes for the requested time (`npm run soak`). One campaign after another gets some
 * moments of the plan; then all faults end, the run has to end, and the witnesses have to agree. An installation is
 * used for some runs and then replaced.
 */
const settings = z
  .object({ SOAK_MINUTES: z.coerce.number().positive(), SOAK_SEED: z.coerce.number().int() })
  .parse(process.env);
const segment = 'lapsed-riders';
const usersPerRun = 60_000;
const momentsPerRun = 5;
const runsPerInstallation = 8;
const concurrency = 10;
const endsWithinMs = 300_000;
/** Restarts by the harness in place of a supervisor: a process may end by itself while its servers are broken. */
const ownEndsPerRun = 20;

it(
  `the soak test loses and repeats nothing in ${settings.SOAK_MINUTES} min, seed ${settings.SOAK_SEED}`,
  async () => {
    const untilMs = Date.now() + settings.SOAK_MINUTES * 60_000;
    const plan = planOf(settings.SOAK_SEED);
    const kafka = await startOwnKafka(3);
    const postgres = await startOwnPostgres();
    try {
      let run = 1;
      while (Date.now() < untilMs) {
        await withArena(kafka, postgres, async (arena) => {
          for (let served = 0; served < runsPerInstallation && Date.now() < untilMs; served++, run++) {
            const moments = Array.from({ length: momentsPerRun }, () => plan.next().value);
            const found = await soakRun(arena, run, moments);
            expect(found, failureOf(run, moments)).toEqual([]);
          }
        });
      }
      expect(run, 'no run fits into that time: nothing was shown').toBeGreaterThan(1);
    } finally {
      const runs = readFigures().filter(({ rows }) => rows === 'soak');
      publishFigures(totalsOf(`all of seed ${settings.SOAK_SEED}, ${settings.SOAK_MINUTES} min`, runs));
      await Promise.all([kafka.end(), postgres.end()]);
    }
  },
  settings.SOAK_MINUTES * 60_000 + 2 * endsWithinMs,
);

type Installed = Omit<Arena, 'runId'>;

async function withArena(
  kafka: OwnKafka,
  postgres: OwnPostgres,
  soak: (arena: Installed) => Promise<void>,
): Promise<void> {
  const { hostname, port } = new URL(postgres.databaseUrl);
  const network = await startTcpProxy({ host: hostname, port: Number(port) });
  const trial = await startTrial({
    workers: 3,
    triggers: 2,
    schedulers: 2,
    servers: { databaseUrl: postgres.databaseUrl, kafkaBrokers: kafka.brokers },
    throughProxy: (databaseUrl) => {
      const url = new URL(databaseUrl);
      url.host = `127.0.0.1:${network.port}`;
      return Promise.resolve(url.href);
    },
    configure: (config) => ({ ...config, replicationFactor: 3 }),
    sandbox: {
      SANDBOX_SEGMENTS: `${segment}=${usersPerRun}`,
      // The witness does not depend on anything that this test breaks: its rewards remember their users in memory.
      SANDBOX_REWARDS_MEMORY: 'users',
      SANDBOX_REWARDS_FAILURE_SHARE: '0.01',
      SANDBOX_MESSAGES_FAILURE_SHARE: '0.01',
      SANDBOX_REWARDS_LATENCY_MS: '500-1200',
      SANDBOX_MESSAGES_LATENCY_MS: '500-1200',
    },
    engine: { WORKER_CONCURRENCY: String(concurrency) },
  });
  try {
    await soak({ trial, kafka, postgres, network, injections: createInjections() });
  } finally {
    await trial.end();
    await network.close();
  }
}

/** Runs one campaign under its share of the plan. Returns the broken invariants. */
async function soakRun(arena: Installed, run: number, moments: readonly PlannedMoment[]): Promise<string[]> {
  const { trial } = arena;
  const { api, countries } = trial.muster;
  const campaign = { name: `Soak ${run}`, countries, segment, chain: rewardThenMessage, deadlineSeconds: 3600 };
  const runId = await until('a campaign can be started', () => api.run(campaign));
  for (const moment of moments) {
    process.stderr.write(`run ${run}: ${describeMoment(moment)}\n`);
    await Promise.all(moment.faults.map((fault) => inject({ ...arena, runId }, fault)));
    await lasting(moment.restMs);
  }
  await trial.awaitEnd(runId, endsWithinMs);
  const faults = moments.reduce((sum, { faults: ofMoment }) => sum + ofMoment.length, 0);
  const found = await trial.judge(runId, {
    rows: 'soak',
    scenario: `run ${run}`,
    segment,
    // While a worker is frozen or cut off during a call, another worker may repeat the call.
    allow: { overlapping: 2 * concurrency * faults },
    ownEnds: ownEndsPerRun * runsPerInstallation,
    injected: arena.injections.takeNew(),
  });
  process.stderr.write(`run ${run}: ${found.length === 0 ? 'nothing wrong' : found.join('; ')}\n`);
  return found;
}

function failureOf(run: number, moments: readonly PlannedMoment[]): string {
  const again = `npm run soak -- --minutes ${settings.SOAK_MINUTES} --seed ${settings.SOAK_SEED}`;
  return `run ${run} of seed ${settings.SOAK_SEED} (${moments.map(describeMoment).join(', then ')}); again: ${again}`;
}
