import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createLogger } from '../../runtime/logger.ts';
import { createKafka } from '../client/connection.ts';
import { createTopicWriter } from './topic-writer.ts';

const logger = createLogger('topic-writer', 'silent');
const topic = `others.${randomUUID()}`;
const kafka = () => createKafka({ brokers: inject('kafkaBrokers').split(','), clientId: 'topic-writer', logger });
const writer = createTopicWriter({ kafka: kafka() });

interface Read {
  key: string;
  value: string | null;
  headers: Record<string, string>;
}

async function readAll(count: number): Promise<Read[]> {
  const consumer = kafka().consumer({ groupId: randomUUID() });
  const read: Read[] = [];
  const all = Promise.withResolvers<undefined>();
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({
    eachMessage: ({ message }) => {
      const headers = Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)]);
      read.push({
        key: String(message.key),
        value: message.value?.toString() ?? null,
        headers: Object.fromEntries(headers) as Record<string, string>,
      });
      if (read.length === count) all.resolve(undefined);
      return Promise.resolve();
    },
  });
  await all.promise;
  await consumer.disconnect();
  return read;
}

describe('the writer of external topics', () => {
  beforeAll(async () => {
    const admin = kafka().admin();
    await admin.connect();
    const configEntries = [{ name: 'max.message.bytes', value: '2000' }];
    await admin.createTopics({ topics: [{ topic, numPartitions: 3, replicationFactor: 1, configEntries }] });
    await admin.disconnect();
  });
  afterAll(() => writer.close());

  it('writes key, headers and body, and messages of one key to one partition', async () => {
    const message = { topic, key: 'merchant-1', headers: { 'webhook-id': 'job_1' }, value: Buffer.from('grüße') };
    const first = await writer.write(message);
    const second = await writer.write({ ...message, value: null });
    expect(first).toMatchObject({ kind: 'written' });
    expect(second).toMatchObject({ kind: 'written', partition: first.kind === 'written' ? first.partition : -1 });
    const read = await readAll(2);
    expect(read[0]).toEqual({ key: 'merchant-1', value: 'grüße', headers: { 'webhook-id': 'job_1' } });
    expect(read[1]?.value).toBeNull();
  });

  it('refuses an unknown topic and a message that is too large', async () => {
    const missing = await writer.write({ topic: `${topic}.none`, key: 'a', headers: {}, value: null });
    expect(missing).toEqual({ kind: 'refused', cause: `there is no topic ${topic}.none` });
    const large = await writer.write({ topic, key: 'a', headers: {}, value: Buffer.alloc(5000, 'x') });
    expect(large).toEqual({ kind: 'refused', cause: `larger than ${topic} takes` });
    expect(await writer.write({ topic, key: 'a', headers: {}, value: null })).toMatchObject({ kind: 'written' });
  });

  it('reports an unknown outcome if no broker answers', async () => {
    const away = createTopicWriter({
      kafka: createKafka({ brokers: ['127.0.0.1:1'], clientId: 'topic-writer', logger }),
    });
    const outcome = await away.write({ topic, key: 'a', headers: {}, value: null });
    expect(outcome.kind).toBe('unknown');
    await away.close();
  });
});
