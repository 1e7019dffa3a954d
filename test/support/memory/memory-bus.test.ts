import { describe, expect, it } from 'vitest';
import { PublishError } from '../../../shared/ports/message-bus.ts';
import { describeMessageBus } from '../conformance/message-bus.conformance.ts';
import { createRecordingReceiver } from '../recording-receiver.ts';
import { createMemoryBus, type MemoryConsumer } from './memory-bus.ts';

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

describe('the bus in memory', () => {
  const message = { topic: 't', value: 'v' };

  it('has the topics it was made with', async () => {
    const bus = createMemoryBus({ topics: ['t'], partitions: 2 });
    await bus.publisher().publish([message, { ...message, key: 'k' }]);
    expect(bus.messages('t')).toHaveLength(2);
  });

  it('fails the next publish before it writes, once', async () => {
    const bus = createMemoryBus({ topics: ['t'] });
    bus.failNextPublish('before');
    await expect(bus.publisher().publish([message])).rejects.toThrow(PublishError);
    expect(bus.messages('t')).toHaveLength(0);
    await bus.publisher().publish([message]);
    expect(bus.messages('t')).toHaveLength(1);
  });

  it('fails the next publish after it has written', async () => {
    const bus = createMemoryBus({ topics: ['t'] });
    bus.failNextPublish('after');
    await expect(bus.publisher().publish([message])).rejects.toThrow(PublishError);
    expect(bus.messages('t')).toHaveLength(1);
  });

  it('brings back after a crash also what was settled since the last commit', async () => {
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
});
