import { describe, expect, it } from 'vitest';
import { PublishError } from '../../../shared/ports/message-bus.ts';
import { describeMessageBus } from '../conformance/message-bus.conformance.ts';
import { createRecordingReceiver } from '../recording-receiver.ts';
import { createMemoryBus } from './memory-bus.ts';
import type { MemoryConsumer } from './memory-bus-interface.ts';

describeMessageBus('in memory', () => {
  const bus = createMemoryBus({ laneHighMark: 16 });
  const consumers = new Map<unknown, MemoryConsumer>();
  return Promise.resolve({
    publisher: bus.publisher(),
    admin: bus.admin,
    createConsumer: (groupId, topics) => {
      const consumer = bus.consumer(groupId, topics);
      consumers.set(consumer, consumer);
      return consumer;
    },
    crash: (consumer) => Promise.resolve(consumers.get(consumer)?.crash()),
    backlogs: (groupId) => bus.backlogs(groupId),
    deleteTopic: (topic) => {
      bus.deleteTopic(topic);
      return Promise.resolve();
    },
    laneHighMark: 16,
    prefix: 'memory',
    close: () => Promise.resolve(),
  });
});

describe('the in-memory bus', () => {
  const message = { topic: 't', value: 'v' };

  it('has the topics it was created with', async () => {
    const bus = createMemoryBus({ topics: ['t'], partitions: 2 });
    await bus.publisher().publish([message, { ...message, key: 'k' }]);
    expect(bus.messages('t')).toHaveLength(2);
  });

  it('fails the next publish once, before writing', async () => {
    const bus = createMemoryBus({ topics: ['t'] });
    bus.failNextPublish('before');
    await expect(bus.publisher().publish([message])).rejects.toThrow(PublishError);
    expect(bus.messages('t')).toHaveLength(0);
    await bus.publisher().publish([message]);
    expect(bus.messages('t')).toHaveLength(1);
  });

  it('fails the next publish after writing', async () => {
    const bus = createMemoryBus({ topics: ['t'] });
    bus.failNextPublish('after');
    await expect(bus.publisher().publish([message])).rejects.toThrow(PublishError);
    expect(bus.messages('t')).toHaveLength(1);
  });

  it('redelivers, after a crash, even messages that were settled since the last commit', async () => {
    const bus = createMemoryBus({ topics: ['t'] });
    await bus.publisher().publish([message]);
    const first = createRecordingReceiver();
    const consumer = bus.consumer('g', ['t']);
    await consumer.start(first);
    for (const delivered of await first.first(1)) consumer.settle(delivered);
    consumer.crash();
    const second = createRecordingReceiver();
    await bus.consumer('g', ['t']).start(second);
    expect(await second.first(1)).toHaveLength(1);
  });

  it('drops, duplicates and delays messages as the test requests', async () => {
    const bus = createMemoryBus({ topics: ['t'] });
    bus.disturb(({ value }) =>
      value === 'a' ? 'drop' : value === 'b' ? 'duplicate' : value === 'c' ? 'delay' : 'keep',
    );
    await bus.publisher().publish(['a', 'b', 'c', 'd'].map((value) => ({ topic: 't', value })));
    const values = () => bus.messages('t').map(({ value }) => value);
    const before = values();
    bus.releaseDelayed();
    expect([before, values()]).toEqual([
      ['b', 'b', 'd'],
      ['b', 'b', 'd', 'c'],
    ]);
  });

  it('refuses messages to a topic that is not writable and accepts the others', async () => {
    const bus = createMemoryBus({ topics: ['t', 'u'] });
    bus.setWritable('t', false);
    const failure = await bus
      .publisher()
      .publish([message, { ...message, topic: 'u' }])
      .catch((error: unknown) => error);
    expect(failure instanceof PublishError && failure.topics).toEqual(['t']);
    bus.setWritable('t', true);
    await bus.publisher().publish([message]);
    expect([bus.messages('t').length, bus.messages('u').length]).toEqual([1, 1]);
  });

  it('delivers a small backlog after a large one in the same partition', async () => {
    const bus = createMemoryBus({ topics: ['t'], laneHighMark: 4 });
    const many = Array.from({ length: 100 }, (_, i) => ({ topic: 't', value: `large-${i}` }));
    await bus.publisher().publish([...many, { topic: 't', value: 'small' }]);
    const receiver = createRecordingReceiver();
    await bus.consumer('g', ['t']).start(receiver);
    await receiver.first(4);
    expect(receiver.values()).toEqual(['large-0', 'large-1', 'large-2', 'large-3']);
  });
});
