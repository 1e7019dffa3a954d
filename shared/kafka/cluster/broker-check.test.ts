import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createKafka } from '../client/connection.ts';
import { createBrokerCheck } from './broker-check.ts';

const real = createKafka({ brokers: ['127.0.0.1:1'], clientId: 'test', logger: pino({ level: 'silent' }) });

/** Creates brokers by their addresses, each with the result of a check. */
function brokersThat(answers: Record<string, () => Promise<void>>) {
  const connections: string[] = [];
  const closed: string[] = [];
  const brokerAt = (broker: string) => {
    connections.push(broker);
    const cluster = {
      ...real.cluster(),
      connect: () => Promise.resolve(),
      disconnect: () => {
        closed.push(broker);
        return Promise.resolve();
      },
      brokerPool: { seedBroker: { apiVersions: () => answers[broker]?.() } },
    };
    return cluster;
  };
  return { check: createBrokerCheck({ kafka: { brokerAt }, brokers: Object.keys(answers) }), connections, closed };
}

const answers = () => Promise.resolve();
const isSilent = () => Promise.reject(new Error('Request ApiVersions(key: 18, version: 2) timed out'));

describe('a check of the brokers', () => {
  it('succeeds if one broker answers', async () => {
    const { check } = brokersThat({ 'one:9092': isSilent, 'two:9092': answers });
    await check.require();
  });

  it('names each broker and its cause if none answers', async () => {
    const { check } = brokersThat({
      'one:9092': isSilent,
      'two:9092': () => Promise.reject(new Error('ECONNREFUSED')),
    });
    await expect(check.require()).rejects.toThrow(
      'no broker of KAFKA_BROKERS answers (one:9092: Request ApiVersions(key: 18, version: 2) timed out; two:9092: ECONNREFUSED)',
    );
  });

  it('keeps its connection while the broker answers, and opens a new one after a failure', async () => {
    let isStopped = false;
    const { check, connections, closed } = brokersThat({ 'one:9092': () => (isStopped ? isSilent() : answers()) });
    await check.require();
    await check.require();
    expect([connections.length, closed.length]).toEqual([1, 0]);
    isStopped = true;
    await expect(check.require()).rejects.toThrow('timed out');
    isStopped = false;
    await check.require();
    expect([connections.length, closed.length]).toEqual([2, 1]);
    await check.close();
    expect(closed).toHaveLength(2);
  });

  it('does not wait for a broker that never answers', async () => {
    const { check } = brokersThat({ 'one:9092': () => new Promise(() => undefined) });
    await expect(check.require()).rejects.toThrow('one:9092: does not answer within 1.5 s');
  });

  it('reuses a connection that took longer than one check', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const { check, connections, closed } = brokersThat({ 'one:9092': () => promise });
    await expect(check.require()).rejects.toThrow('one:9092: does not answer within 1.5 s');
    resolve(undefined);
    await check.require();
    expect([connections.length, closed.length]).toEqual([1, 0]);
  });
});
