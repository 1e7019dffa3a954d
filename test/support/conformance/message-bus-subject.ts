import { afterEach, beforeEach } from 'vitest';
import {
  PublishError,
  type LaneReceiver,
  type LaneMessage,
  type MessageConsumer,
  type MessagePublisher,
  type TopicAdmin,
  type TopicBacklogs,
} from '../../../shared/ports/message-bus.ts';
import { createRecordingReceiver, valueOf, type RecordingReceiver } from '../recording-receiver.ts';

export interface MessageBusSubject {
  publisher: MessagePublisher;
  admin: TopicAdmin;
  /** Creates a consumer that creates missing topics with one partition, and soon sees added partitions. */
  createConsumer: (groupId: string, topics: readonly string[]) => MessageConsumer;
  backlogs: (groupId: string) => TopicBacklogs;
  deleteTopic: (topic: string) => Promise<void>;
  /** Highest number of unsettled messages in a lane of its consumers. */
  laneHighMark: number;
  /** Ends the consumer like a killed process: it commits nothing more, and others get its partitions. */
  crash: (consumer: MessageConsumer) => Promise<void>;
  /** Prefix of topics and groups that no other test uses. */
  prefix: string;
  close: () => Promise<void>;
}

/** Provides a bus for each test of the suite, and stops its consumers after the test. */
export function busForEach(makeSubject: () => Promise<MessageBusSubject>) {
  let subject: MessageBusSubject;
  let topic: string;
  let group: string;
  const started: MessageConsumer[] = [];

  beforeEach(async () => {
    subject = await makeSubject();
    topic = `${subject.prefix}.topic`;
    group = `${subject.prefix}.group`;
  });

  afterEach(async () => {
    await Promise.all(started.splice(0).map((consumer) => consumer.stop()));
    await subject.close();
  });

  function givenTopic(partitions: number, named = topic): Promise<void> {
    return subject.admin.ensureTopics([{ topic: named, partitions, replicationFactor: 1 }]);
  }

  function publish(values: readonly string[], to = topic): Promise<void> {
    return subject.publisher.publish(values.map((value) => ({ topic: to, value })));
  }

  /** Publishes until it succeeds, because a publisher may briefly know a deleted topic or not know a new one. */
  async function untilPublished(values: readonly string[], to: string): Promise<void> {
    for (;;) {
      try {
        await publish(values, to);
        return;
      } catch (error) {
        if (!(error instanceof PublishError)) throw error;
      }
    }
  }

  /** Creates a consumer that is not started. */
  function create(topics: readonly string[] = [topic]): MessageConsumer {
    const consumer = subject.createConsumer(group, topics);
    started.push(consumer);
    return consumer;
  }

  async function consuming<Receiver extends LaneReceiver>(receiver: Receiver, topics: readonly string[] = [topic]) {
    const consumer = create(topics);
    await consumer.start(receiver);
    return { consumer, receiver };
  }

  function recording(topics?: readonly string[]): Promise<Consuming> {
    return consuming(createRecordingReceiver(), topics);
  }

  /** Subject of the running test. */
  const current = () => ({ subject, topic, group });
  return { current, givenTopic, publish, untilPublished, create, consuming, recording };
}

export interface Consuming {
  consumer: MessageConsumer;
  receiver: RecordingReceiver;
}

/** Returns a receiver that settles all messages, including those that arrived before `settleWith`. */
export function settlingReceiver(): RecordingReceiver & { settleWith(consumer: MessageConsumer): void } {
  const recording = createRecordingReceiver();
  let settler: MessageConsumer | undefined;
  return {
    ...recording,
    deliver: (lane, messages) => {
      recording.deliver(lane, messages);
      for (const message of messages) settler?.settle(message);
    },
    settleWith: (consumer) => {
      settler = consumer;
      for (const message of recording.delivered) consumer.settle(message);
    },
  };
}

/** Returns a receiver that passes messages to `observe` before it records them. */
export function observingReceiver(observe: (messages: readonly LaneMessage[]) => void): RecordingReceiver {
  const recording = createRecordingReceiver();
  return {
    ...recording,
    deliver: (lane, messages) => {
      observe(messages);
      recording.deliver(lane, messages);
    },
  };
}

export function settle(consumer: MessageConsumer, messages: readonly LaneMessage[], values: readonly string[]): void {
  for (const value of values) {
    const message = messages.find((candidate) => valueOf(candidate) === value);
    if (!message) throw new Error(`${value} was not delivered`);
    consumer.settle(message);
  }
}

export function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${name}-${i}`);
}

export function countByPartition(messages: readonly LaneMessage[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { lane } of messages) counts[lane.partition] = (counts[lane.partition] ?? 0) + 1;
  return counts;
}

export function assignmentOf({ assignment }: { assignment: number }): number {
  return assignment;
}
