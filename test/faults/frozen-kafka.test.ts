import { rm } from 'node:fs/promises';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { z } from 'zod';
import { findFreePorts } from '../../shared/infrastructure/free-ports.ts';
import { createKafka } from '../../shared/kafka/client/connection.ts';
import { createBrokerCheck, type BrokerCheck } from '../../shared/kafka/cluster/broker-check.ts';
import { countries, rewardThenMessage, startInstallation, type Installation } from '../e2e/installation.ts';
import { faultControls } from '../mutations/fault-controls.ts';
import { startOwnKafka, type OwnKafka } from './support/own-kafka.ts';
import { treeWithout } from './support/tree-without.ts';

/** Services that need Kafka for all their work. The API does not use Kafka, and a scheduler starts runs without it. */
const onKafka = ['trigger', 'worker-1', 'dispatcher-1'];
const names = ['api', 'scheduler', ...onKafka];
const segment = 'lapsed-riders';
const readinessShape = z.object({ parts: z.record(z.string(), z.string()) });
/** Time-out from the stop of Kafka to the readiness answer that names Kafka. */
const noticed = { timeout: 10_000, interval: 200 };
const eventually = { timeout: 90_000, interval: 200 };

describe('row 74: a frozen Kafka whose port still accepts connections', () => {
  let kafka: OwnKafka;
  let read: BrokerCheck;
  let muster: Installation;
  let ports: number[];
  beforeAll(async () => {
    kafka = await startOwnKafka(1);
    const brokers = kafka.brokers.split(',');
    const logger = pino({ level: 'silent' });
    read = createBrokerCheck({ kafka: createKafka({ brokers, clientId: 'witness', logger }), brokers });
  });
  afterEach(async () => {
    await kafka.heal();
    await muster.stop();
  });
  afterAll(async () => {
    await read.close();
    await kafka.end();
  });

  async function begin(root?: string): Promise<void> {
    ports = await findFreePorts(names.length);
    muster = await startInstallation({
      workers: 1,
      dispatchers: 1,
      servers: { databaseUrl: inject('databaseUrl'), kafkaBrokers: kafka.brokers },
      sandbox: { SANDBOX_SEGMENTS: `${segment}=1000` },
      engineOf: Object.fromEntries(names.map((name, place) => [name, { HEALTH_PORT: String(ports[place]) }])),
      ...(root !== undefined && { root }),
    });
    for (const name of names) await vi.waitFor(async () => expect((await partsOf(name)).status).toBe(200), eventually);
  }

  async function partsOf(name: string) {
    const answer = await fetch(`http://127.0.0.1:${ports[names.indexOf(name)]}/readyz`);
    return { status: answer.status, ...readinessShape.parse(await answer.json()) };
  }

  async function expectNotReady(name: string): Promise<void> {
    await vi.waitFor(async () => {
      const { status, parts } = await partsOf(name);
      expect([status, parts['kafka']], name).toEqual([503, expect.stringContaining(kafka.brokers)]);
    }, noticed);
  }

  async function expectReady(name: string): Promise<void> {
    await vi.waitFor(async () => expect(await partsOf(name), name).toMatchObject({ status: 200 }), eventually);
  }

  it('makes each service that needs Kafka not ready within 10 s, until Kafka continues', async () => {
    await begin();
    kafka.freeze(1);
    await Promise.all(onKafka.map(expectNotReady));
    for (const name of ['api', 'scheduler']) expect((await partsOf(name)).status, name).toBe(200);

    kafka.thaw(1);
    await Promise.all(onKafka.map(expectReady));
    const campaign = { name: 'After it', countries, segment, chain: rewardThenMessage };
    const ended = await muster.api.awaitEnd(await muster.api.run(campaign));
    expect(ended.state).toBe('completed');
  }, 300_000);

  it('is named as the cause by each service that starts in the meantime', async () => {
    await begin();
    await Promise.all(onKafka.map(async (name) => await muster.services.get(name)?.end('SIGTERM')));
    kafka.freeze(1);
    await Promise.all(onKafka.map((name) => muster.restart(name)));
    for (const name of onKafka) await vi.waitFor(() => partsOf(name), eventually);
    await Promise.all(onKafka.map(expectNotReady));

    kafka.thaw(1);
    await Promise.all(onKafka.map(expectReady));
  }, 300_000);

  it('passes as healthy if a TCP connection is enough (control)', async () => {
    const tree = await treeWithout(faultControls.brokersAreAsked);
    try {
      await begin(tree);
      kafka.freeze(1);
      await expect(read.require()).rejects.toThrow(kafka.brokers);
      for (const name of onKafka) expect((await partsOf(name)).parts['kafka'], name).toBe('ok');
    } finally {
      await rm(tree, { recursive: true });
    }
  }, 300_000);
});
