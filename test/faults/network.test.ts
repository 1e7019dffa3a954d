import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { rewardThenMessage } from '../e2e/installation.ts';
import { startKafkaBehindProxy, type KafkaBehindProxy } from './support/own-kafka.ts';
import { startTcpProxy, type HeldWays, type TcpProxy } from './support/tcp-proxy.ts';
import { startTrial, type Trial, type TrialOptions } from './support/trial.ts';
import { lasting } from './support/until.ts';

const segment = 'lapsed-riders';
const minutes = 60_000;
const concurrency = 10;
const workers = 2;
const slow = { SANDBOX_REWARDS_LATENCY_MS: '400-800', SANDBOX_MESSAGES_LATENCY_MS: '400-800' };
const naiveSinks = { SANDBOX_REWARDS_MEMORY: 'none', SANDBOX_MESSAGES_MEMORY: 'none' };
const whole: HeldWays = { toServer: false, toClient: false };
const bothWays: HeldWays = { toServer: true, toClient: true };

let kafka: KafkaBehindProxy;
let postgres: TcpProxy;
let trial: Trial;
beforeAll(async () => {
  kafka = await startKafkaBehindProxy();
  const { hostname, port } = new URL(inject('databaseUrl'));
  postgres = await startTcpProxy({ host: hostname, port: Number(port) });
});
afterEach(async () => {
  for (const proxy of [kafka.proxy, postgres]) {
    proxy.hold(whole);
    proxy.delay(0);
    proxy.resetEvery(0);
  }
  await trial.end();
});
afterAll(async () => {
  await postgres.close();
  await kafka.end();
});

/** All of the engine's services reach Kafka and Postgres through the proxies; the witnesses do not. */
async function begin(users: number, options: Partial<TrialOptions> = {}): Promise<string> {
  trial = await startTrial({
    workers,
    servers: { databaseUrl: inject('databaseUrl'), kafkaBrokers: kafka.brokers },
    throughProxy: (databaseUrl) => {
      const url = new URL(databaseUrl);
      url.host = `127.0.0.1:${postgres.port}`;
      return Promise.resolve(url.href);
    },
    ...options,
    sandbox: { SANDBOX_SEGMENTS: `${segment}=${users}`, ...slow, ...options.sandbox },
    engine: { KAFKA_BROKERS: kafka.proxiedBrokers, WORKER_CONCURRENCY: String(concurrency), ...options.engine },
  });
  const { api, countries } = trial.muster;
  const runId = await api.run({ name: 'Over a broken network', countries, segment, chain: rewardThenMessage });
  await trial.awaitCalls(runId, 2, 20);
  return runId;
}

describe('row 30: a network that is cut', () => {
  it.each([
    ['to the broker', '10 s', 10_000, bothWays, 20_000],
    ['to the broker', '60 s', 60_000, bothWays, 60_000],
    ['to the broker', '20 s, towards it only', 20_000, { toServer: true, toClient: false }, 30_000],
    ['to the broker', '20 s, from it only', 20_000, { toServer: false, toClient: true }, 30_000],
    ['to Postgres', '10 s', 10_000, bothWays, 20_000],
    ['to Postgres', '60 s', 60_000, bothWays, 20_000],
    ['to Postgres', '20 s, towards it only', 20_000, { toServer: true, toClient: false }, 20_000],
    ['to Postgres', '20 s, from it only', 20_000, { toServer: false, toClient: true }, 20_000],
  ])(
    'does not stop the run and repeats only calls in doubt: cut %s for %s',
    async (where, howLong, cutMs, ways, users) => {
      // Postgres is unreachable for less time than a lease, except in the longest cut. There, calls that were not
      // recorded are in doubt.
      const isDoubtful = where === 'to Postgres' && cutMs === 60_000;
      const leaseMs = where === 'to the broker' || isDoubtful ? 8000 : 60_000;
      const runId = await begin(users, { sandbox: naiveSinks, engine: { WORKER_LEASE_MS: String(leaseMs) } });
      const proxy = where === 'to Postgres' ? postgres : kafka.proxy;
      const mended = trial.injections.begin(`network cut ${where}`, howLong);
      proxy.hold(ways);
      await lasting(cutMs);
      proxy.hold(whole);
      mended();

      await trial.awaitEnd(runId, 4 * minutes);
      const allow = isDoubtful ? { appliedAgain: 2 * workers * concurrency } : {};
      const scenario = `network cut ${where}, ${howLong}`;
      expect(await trial.judge(runId, { rows: '30', scenario, segment, allow })).toEqual([]);
    },
    600_000,
  );
});

describe('row 31: a network with 200 ms delay and a reset at every hundredth response', () => {
  let endpoints: TcpProxy | undefined;
  afterEach(() => endpoints?.close());

  it('fails no user and leaves no user unknown', async () => {
    const proxied = await startTcpProxy({ host: '127.0.0.1', port: 0 });
    endpoints = proxied;
    const runId = await begin(10_000, {
      configure: (config) => {
        const sandbox = new URL(config.segmentation.url);
        proxied.aim({ host: '127.0.0.1', port: Number(sandbox.port) });
        const through = (url: string) => url.replace(`:${sandbox.port}/`, `:${proxied.port}/`);
        const actionTypes: typeof config.actionTypes = {};
        for (const [name, type] of Object.entries(config.actionTypes)) {
          actionTypes[name] = { ...type, url: through(type.url) };
        }
        return {
          ...config,
          segmentation: { ...config.segmentation, url: through(config.segmentation.url) },
          actionTypes,
        };
      },
    });
    const over = trial.injections.begin('200 ms and resets', 'Postgres, Kafka, endpoints');
    for (const proxy of [kafka.proxy, postgres, proxied]) {
      proxy.delay(100);
      proxy.resetEvery(100);
    }

    await trial.awaitEnd(runId, 4 * minutes);
    // The witness reads the report through the API, whose connection to Postgres may be the next one that is reset.
    for (const proxy of [kafka.proxy, postgres, proxied]) proxy.resetEvery(0);
    over();
    expect(await trial.judge(runId, { rows: '31', scenario: 'slow and resetting network', segment })).toEqual([]);
    const { state, steps } = await trial.muster.api.report(runId);
    expect([state, ...steps.map(({ failed, unknown }) => failed + unknown)]).toEqual(['completed', 0, 0]);
  }, 600_000);
});
