import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { startCallbackTrial, type CallbackTrial } from './support/callback-trial.ts';
import { startKafkaBehindProxy, type KafkaBehindProxy } from './support/own-kafka.ts';
import { startTcpProxy, type HeldWays, type TcpProxy } from './support/tcp-proxy.ts';
import { lasting, until } from './support/until.ts';

const whole: HeldWays = { toServer: false, toClient: false };
const bothWays: HeldWays = { toServer: true, toClient: true };
const answersOnly: HeldWays = { toServer: false, toClient: true };
/** Leases last longer than the faults, so each job stays with the dispatcher that claimed it. */
const longLeases = { DISPATCHER_LEASE_MS: '30000' };
const load = { count: 3000, dueInMs: 500, spreadMs: 15_000 };

/** The state of callbacks is in Postgres, not in Kafka: whatever happens to Kafka, every job is called exactly once. */
describe('callbacks over a failing Kafka and a failing network', () => {
  let kafka: KafkaBehindProxy;
  let postgres: TcpProxy;
  let trial: CallbackTrial;
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
    await kafka.heal();
    await trial.end();
  });
  afterAll(async () => {
    await postgres.close();
    await kafka.end();
  });

  async function begin(): Promise<void> {
    trial = await startCallbackTrial({
      servers: { databaseUrl: inject('databaseUrl'), kafkaBrokers: kafka.brokers },
      throughProxy: (databaseUrl) => {
        const url = new URL(databaseUrl);
        url.host = `127.0.0.1:${postgres.port}`;
        return Promise.resolve(url.href);
      },
      engine: { ...longLeases, KAFKA_BROKERS: kafka.proxiedBrokers },
    });
    await trial.schedule(load);
    await trial.awaitCalls(200);
  }

  async function verdictOn(rows: string, scenario: string): Promise<string[]> {
    await trial.awaitEnded(120_000);
    return await trial.judgeCallbacks({ rows, scenario: `${scenario}, callbacks` });
  }

  it('row 9: survive a broker that is killed and comes back', async () => {
    await begin();
    const back = trial.injections.begin('broker SIGKILL', '5 s');
    await kafka.kill(1);
    await lasting(5000);
    await kafka.start(1);
    back();
    expect(await verdictOn('9', 'broker killed')).toEqual([]);
  });

  it('row 15: survive a broker that is frozen for 15 s', async () => {
    await begin();
    const back = trial.injections.begin('broker SIGSTOP', '15 s');
    kafka.freeze(1);
    await lasting(15_000);
    kafka.thaw(1);
    back();
    expect(await verdictOn('15', 'broker frozen 15 s')).toEqual([]);
  });

  it('row 14: survive the deletion of the topic with all offers', async () => {
    await begin();
    for (const name of trial.names('dispatcher')) await trial.stop(name);
    const topic = `${trial.muster.topicPrefix}.local.calls`;
    await until('jobs lie on the topic', async () => (await trial.topics.contents([topic])).length > 20);
    trial.injections.happened('topic deleted', topic);
    await trial.topics.delete(topic);
    await trial.restart(...trial.names('dispatcher'));
    expect(await verdictOn('14', 'topic of calls deleted')).toEqual([]);
  });

  it('row 25: survive garbage on the topic', async () => {
    await begin();
    const topic = `${trial.muster.topicPrefix}.local.calls`;
    trial.injections.happened('garbage', topic);
    const garbage = ['', 'no JSON', '{"clients":[],"jobs":[]}', '[1,2,3]', '\0'].map((text) => Buffer.from(text));
    for (const partition of [0, 1]) await trial.topics.produce(topic, partition, [null, ...garbage]);
    expect(await verdictOn('25', 'garbage')).toEqual([]);
    // Workers ignore messages without a mark, because these may belong to another installation. All jobs are called
    // nevertheless.
    expect(trial.accepted.size).toBe(load.count);
  });

  it.each([
    ['to the broker', '10 s', bothWays],
    ['to Postgres', '10 s', bothWays],
    ['to Postgres', '10 s, answers only', answersOnly],
  ])('row 30: survive a connection %s that is cut for %s', async (what, time, ways) => {
    await begin();
    const back = trial.injections.begin(`line ${what} cut`, time);
    const line = what === 'to Postgres' ? postgres : kafka.proxy;
    line.hold(ways);
    await lasting(10_000);
    line.hold(whole);
    back();
    expect(await verdictOn('30', `line ${what} cut ${time}`)).toEqual([]);
  });

  it('row 31: survive a delay of 200 ms and a reset at every hundredth packet', async () => {
    await begin();
    const back = trial.injections.begin('late and resetting', 'both lines');
    for (const proxy of [kafka.proxy, postgres]) {
      proxy.delay(100);
      proxy.resetEvery(100);
    }
    await trial.awaitCalls(1500);
    for (const proxy of [kafka.proxy, postgres]) {
      proxy.delay(0);
      proxy.resetEvery(0);
    }
    back();
    expect(await verdictOn('31', 'late and resetting')).toEqual([]);
  });
});
