import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { cancelRun } from '../../sdk/generated/sdk.gen.ts';
import { findFreePorts } from '../../shared/infrastructure/free-ports.ts';
import type { EngineConfigFile } from '../e2e/engine-config.ts';
import { rewardThenMessage } from '../e2e/installation.ts';
import { checkOut, versionBefore } from '../e2e/released-version.ts';
import { isReady, startBalancer, type Backend, type Balancer } from './support/balancer.ts';
import { scheduleAllTheWhile } from './support/callbacks-all-the-while.ts';
import { startCallbackTrial, type CallbackTrial } from './support/callback-trial.ts';
import { requestAllTheWhile, type Requests } from './support/requests-all-the-while.ts';
import { lasting, until } from './support/until.ts';

const segment = 'lapsed-riders';
const services = ['api', 'scheduler', 'trigger', 'worker', 'dispatcher'];
const generations = 3;
/** Replicas of each service. */
const replicas = 2;

/** Values of the chart, in ms. */
const chart = path.join(import.meta.dirname, '../../deploy/helm/muster');
const { stopping } = z
  .object({ stopping: z.object({ drainSeconds: z.number() }) })
  .parse(parse(readFileSync(path.join(chart, 'values.yaml'), 'utf8')));
const template = readFileSync(path.join(chart, 'templates/_helpers.tpl'), 'utf8');
const drainMs = stopping.drainSeconds * 1000;
const minReadyMs = Number(/minReadySeconds: (\d+)/.exec(template)?.[1]) * 1000;
/**
 * Time after which no connection leads to a process that was asked to stop: shorter than the time for which the process
 * continues to serve.
 */
const leftAfterMs = 1000;

/** Calls have a long time-out, because on a busy machine a late answer would lead to a repeat. */
function patient(config: EngineConfigFile): EngineConfigFile {
  for (const type of Object.values(config.actionTypes)) type.timeoutMs = 10_000;
  return config;
}

const before = versionBefore();

describe('row 64: processes replaced one after another as by the chart', () => {
  let tree: string | undefined;
  let trial: CallbackTrial;
  let balancer: Balancer;
  let requests: Requests | undefined;
  let healthPorts: Map<string, number>;
  let apiPorts: Map<string, number>;
  /** Source folders by process name, for processes of another version. */
  let versions: Map<string, string | undefined>;
  beforeAll(async () => {
    tree = before === undefined ? undefined : await checkOut(before);
  }, 300_000);
  afterEach(async () => {
    await requests?.stop();
    requests = undefined;
    await trial.end();
    await balancer.close();
  });
  afterAll(async () => {
    if (tree !== undefined) await rm(tree, { recursive: true });
  });

  /** `worker-3` is the first of the second generation. */
  const nameOf = (service: string, generation: number, replica: number) =>
    `${service}-${generation * replicas + replica + 1}`;
  /** The harness starts the first API by this name. */
  const firstApi = 'api';

  async function begin(users: number): Promise<void> {
    const places = Array.from({ length: generations * replicas }, (_, place) => place);
    const names = services.flatMap((service) =>
      places.map((place) => (service === 'api' && place === 0 ? firstApi : `${service}-${place + 1}`)),
    );
    const ports = await findFreePorts(names.length + places.length);
    healthPorts = new Map(names.map((name, place) => [name, ports[place] ?? 0]));
    const others = names.filter((name) => name.startsWith('api-'));
    apiPorts = new Map(others.map((name, place) => [name, ports[names.length + place] ?? 0]));
    versions = new Map(names.map((name) => [name, tree]));
    balancer = await startBalancer();
    trial = await startCallbackTrial({
      workers: replicas,
      triggers: replicas,
      schedulers: replicas,
      dispatchers: replicas,
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=${users}`,
        // The sinks have no memory, so a repeated call would have a second effect.
        SANDBOX_REWARDS_MEMORY: 'none',
        SANDBOX_MESSAGES_MEMORY: 'none',
        SANDBOX_REWARDS_LATENCY_MS: '1000-1500',
        SANDBOX_MESSAGES_LATENCY_MS: '1000-1500',
      },
      engine: { WORKER_CONCURRENCY: '10', WORKER_LEASE_MS: '30000' },
      configure: patient,
      engineOf: Object.fromEntries(
        names.map((name) => [name, { HEALTH_PORT: portOf(healthPorts, name), ...apiPortOf(name) }]),
      ),
      root: (name) => versions.get(name),
      apiThrough: async (apiUrl) => {
        apiPorts.set(firstApi, Number(new URL(apiUrl).port));
        await balancer.add(backendOf(firstApi));
        return balancer.url;
      },
    });
    await trial.restart('api-2');
    await balancer.add(backendOf('api-2'));
  }

  const portOf = (ports: ReadonlyMap<string, number>, name: string) => String(ports.get(name) ?? 'none');
  const apiPortOf = (name: string): Record<string, string> =>
    apiPorts.has(name) ? { API_PORT: portOf(apiPorts, name) } : {};
  const backendOf = (name: string): Backend => {
    return { name, port: Number(portOf(apiPorts, name)), healthPort: Number(portOf(healthPorts, name)) };
  };

  /** Replaces the processes of a service: each new process joins and is ready for a while, then an old one stops. */
  async function roll(service: string, generation: number): Promise<void> {
    for (let replica = 0; replica < replicas; replica++) {
      const next = nameOf(service, generation, replica);
      const old =
        generation === 1 && replica === 0 && service === 'api' ? firstApi : nameOf(service, generation - 1, replica);
      const isApi = service === 'api';
      await trial.restart(next);
      await until(`${next} is ready`, () => isReady(Number(portOf(healthPorts, next))));
      if (isApi) await balancer.add(backendOf(next));
      await lasting(minReadyMs);
      if (isApi) {
        await lasting(leftAfterMs);
        balancer.leave(old);
        await lasting(drainMs - leftAfterMs);
      }
      expect(await trial.stop(old), `how ${old} ended`).toBe(0);
    }
  }

  async function rollAll(generation: number): Promise<void> {
    for (const service of services) {
      for (let replica = 0; replica < replicas; replica++)
        versions.set(nameOf(service, generation, replica), undefined);
    }
    await Promise.all(services.map((service) => roll(service, generation)));
  }

  function askAllTheWhile(runId: string): Requests {
    const { countries, cliEnvironment } = trial.muster;
    const body = { name: 'A draft', audience: { include: [{ segment }] }, countries, chain: rewardThenMessage };
    return requestAllTheWhile(balancer.url, cliEnvironment['MUSTER_API_KEY'] ?? '', [
      { method: 'GET', path: `/v1/runs/${runId}/progress` },
      { method: 'POST', path: '/v1/campaigns', body },
      { method: 'GET', path: '/v1/clients' },
    ]);
  }

  const batchesCalled = async (runId: string) =>
    (await trial.batchesCalled(runId, 1)) + (await trial.batchesCalled(runId, 2));

  it(`${before ?? 'this version'} by this version, and this version by itself, fail no request and call no user twice`, async () => {
    await begin(250_000);
    const { api, countries } = trial.muster;
    const runId = await api.run({ name: 'Rolled over', countries, segment, chain: rewardThenMessage });
    await until('batches of the second step are called', async () => (await trial.batchesCalled(runId, 2)) > 20);
    requests = askAllTheWhile(runId);
    const stopScheduling = scheduleAllTheWhile(trial);

    const figures: Record<string, number> = {};
    for (const generation of [1, 2]) {
      const beganMs = Date.now();
      await rollAll(generation);
      figures[generation === 1 ? 'upgraded within s' : 'restarted within s'] = (Date.now() - beganMs) / 1000;
      const [batches, calls] = [await batchesCalled(runId), trial.receiver.calls().length];
      await until('batches are called by those that came', async () => (await batchesCalled(runId)) > batches + 20);
      await until('callbacks too', () => trial.receiver.calls().length > calls);
    }
    await stopScheduling();
    await trial.awaitEnded();
    // The run is longer than any machine needs for the upgrade, so the test ends it.
    await cancelRun({ client: api.client, path: { id: runId }, body: {} });
    await trial.awaitEnd(runId, 150_000);
    await requests.stop();

    expect(requests.failed).toEqual([]);
    expect(requests.requested()).toBeGreaterThan(500);
    expect(trial.accepted.size).toBeGreaterThan(300);
    const measured = { ...figures, requests: requests.requested(), callbacks: trial.accepted.size };
    const campaigns = { rows: '64', scenario: 'rolled over', segment, measured };
    expect(await trial.judge(runId, { ...campaigns, allow: { runStates: ['cancelled'] } })).toEqual([]);
    expect(await trial.judgeCallbacks({ rows: '64', scenario: 'rolled over, callbacks' })).toEqual([]);
  }, 420_000);

  it('fail some requests if the API stops while connections still reach it (control)', async () => {
    await begin(2000);
    const runId = await trial.muster.api.run({
      name: 'Asked for',
      countries: trial.muster.countries,
      segment,
      chain: rewardThenMessage,
    });
    requests = askAllTheWhile(runId);
    const queried = requests;
    await until('it is asked', () => queried.requested() > 20);
    expect(queried.failed).toEqual([]);

    expect(await trial.stop('api-2')).toBe(0);
    await until('a request fails', () => queried.failed.length > 0);
    balancer.leave('api-2');
    await trial.awaitEnd(runId);
  });
});
