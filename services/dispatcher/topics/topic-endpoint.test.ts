import { describe, expect, it } from 'vitest';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import type { TopicMessage, TopicWritten } from '../../../shared/ports/topic-writer.ts';
import { createTargetTopics } from '../../../shared/runtime/configuration/target-topics.ts';
import type { Callback } from '../ports/callback-endpoint.ts';
import { createTopicEndpoint } from './topic-endpoint.ts';

function setUp(outcome: TopicWritten | 'never' = { kind: 'written', partition: 3, offset: '17' }) {
  const clock = createSettableClock();
  const sent: TopicMessage[] = [];
  const writer = {
    write: (message: TopicMessage) => {
      sent.push(message);
      return outcome === 'never' ? new Promise<TopicWritten>(() => undefined) : Promise.resolve(outcome);
    },
  };
  const topics = createTargetTopics(['orders', 'shop.*', 'muster.*'], 'muster');
  const endpoint = createTopicEndpoint({ writer, topics, clock });
  const callTo = (topic: string): Callback => ({
    limits: { clientId: 'a', revision: 1, concurrency: 1, timeoutMs: 1000, egress: [] },
    method: 'POST',
    origin: `kafka:${topic}`,
    path: '',
    key: 'merchant-1',
    notAfterMs: Infinity,
    headers: ['webhook-id', 'job_1', 'user-agent', 'muster', 'content-type', 'application/json'],
    body: Buffer.from('{"order":17}'),
  });
  return { clock, sent, call: (topic: string) => endpoint.call(callTo(topic)) };
}

describe('a job with a Kafka topic as its target', () => {
  it('is written with key, headers and body, and counts as called after the acknowledgement', async () => {
    const { sent, call } = setUp();
    const answer = await call('orders');
    expect(answer).toMatchObject({ kind: 'answered', status: 200 });
    expect(answer.kind === 'answered' && answer.body.toString()).toBe('partition 3, offset 17');
    const headers = { 'webhook-id': 'job_1', 'content-type': 'application/json' };
    expect(sent).toEqual([{ topic: 'orders', key: 'merchant-1', headers, value: Buffer.from('{"order":17}') }]);
  });

  it('is dead if the topic refuses it, and is retried if Kafka does not acknowledge it', async () => {
    expect(await setUp({ kind: 'refused', cause: 'there is no topic orders' }).call('orders')).toEqual({
      kind: 'forbidden',
      cause: 'there is no topic orders',
    });
    expect(await setUp({ kind: 'unknown', cause: 'no leader' }).call('orders')).toEqual({
      kind: 'unanswered',
      cause: 'no leader',
    });
  });

  it('times out as an HTTP call does', async () => {
    const { clock, call } = setUp('never');
    const answer = call('orders');
    await passTime(clock, 1000);
    expect(await answer).toEqual({ kind: 'unanswered', cause: 'no acknowledgement within 1000 ms' });
  });

  it.each(['payments', 'muster.local.calls', '__consumer_offsets'])('is not written to %s', async (topic) => {
    const { sent, call } = setUp();
    expect(await call(topic)).toMatchObject({ kind: 'forbidden' });
    expect(sent).toEqual([]);
  });

  it('is written to a topic that matches a configured prefix', async () => {
    expect(await setUp().call('shop.orders')).toMatchObject({ kind: 'answered' });
  });
});
