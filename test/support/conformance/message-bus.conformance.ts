import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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
  /**
   * One that creates missing topics with one partition, and soon sees added partitions, where that takes time at all.
   */
  createConsumer: (groupId: string, topics: readonly string[]) => MessageConsumer;
  backlogs: (groupId: string) => TopicBacklogs;
  deleteTopic: (topic: string) => Promise<void>;
  /** Unsettled messages that a lane of its consumers has at most. */
  laneHighMark: number;
  /** The consumer ends as if its process had been killed: nothing is committed any more, others get its partitions. */
  crash: (consumer: MessageConsumer) => Promise<void>;
  /** No other test has topics or groups that begin with it. */
  prefix: string;
  close: () => Promise<void>;
}

export function describeMessageBus(name: string, makeSubject: () => Promise<MessageBusSubject>): void {
  describe(`message bus: ${name}`, () => {
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

    /** As a publisher may know for a moment a topic that is no more, or not one that is. */
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

    async function consuming<Receiver extends LaneReceiver>(receiver: Receiver, topics: readonly string[] = [topic]) {
      const consumer = subject.createConsumer(group, topics);
      started.push(consumer);
      await consumer.start(receiver);
      return { consumer, receiver };
    }

    function recording(topics?: readonly string[]): Promise<Consuming> {
      return consuming(createRecordingReceiver(), topics);
    }

    it('delivers everything that was published, before the consumer came and after', async () => {
      await givenTopic(3);
      const early = numbered('early', 60);
      const late = numbered('late', 60);
      await publish(early);
      const { consumer, receiver } = await consuming(settlingReceiver());
      receiver.settleWith(consumer);
      await publish(late);
      const distinct = () => new Set(receiver.values());
      await receiver.until(() => distinct().size === 120);
      expect(distinct()).toEqual(new Set([...early, ...late]));
    });

    it('keeps the bytes of keys and values', async () => {
      await givenTopic(1);
      const key = 'ключ "1" \\ 🔑';
      const value = '{"feed":"🚕","b":[1,2]}\n';
      await subject.publisher.publish([{ topic, key, value }]);
      const { receiver } = await recording();
      const [message] = await receiver.first(1);
      expect([message?.key?.toString(), message?.value?.toString()]).toEqual([key, value]);
    });

    it('spreads messages without a key over all partitions', async () => {
      await givenTopic(3);
      await publish(numbered('r', 9));
      const { receiver } = await recording();
      const messages = await receiver.first(9);
      expect(countByPartition(messages)).toEqual({ 0: 3, 1: 3, 2: 3 });
    });

    it('keeps messages of one key in one partition, in order', async () => {
      await givenTopic(3);
      const values = numbered('r', 5);
      await subject.publisher.publish(values.map((value) => ({ topic, key: 'k', value })));
      const { receiver } = await recording();
      const messages = await receiver.first(5);
      expect(Object.values(countByPartition(messages))).toEqual([5]);
      expect(messages.map(valueOf)).toEqual(values);
    });

    it('delivers again from the first message that was not settled, however many behind it were', async () => {
      await givenTopic(1);
      await publish(['0', '1', '2', '3', '4']);
      const { consumer, receiver } = await recording();
      settle(consumer, await receiver.first(5), ['4', '0', '3', '1']);
      await consumer.stop();

      const next = await recording();
      await next.receiver.first(3);
      expect(next.receiver.values()).toEqual(['2', '3', '4']);
    });

    it('delivers nothing again that was settled before a stop', async () => {
      await givenTopic(1);
      await publish(['old-1', 'old-2']);
      const { consumer, receiver } = await recording();
      settle(consumer, await receiver.first(2), ['old-1', 'old-2']);
      await consumer.stop();

      await publish(['new']);
      const next = await recording();
      await next.receiver.first(1);
      expect(next.receiver.values()).toEqual(['new']);
    });

    it('delivers again after a crash what was not settled', async () => {
      await givenTopic(2);
      await publish(numbered('r', 6));
      const { consumer, receiver } = await recording();
      const messages = await receiver.first(6);
      settle(consumer, messages, ['r-0', 'r-1']);
      await subject.crash(consumer);

      const next = await recording();
      await next.receiver.until(() =>
        numbered('r', 6)
          .slice(2)
          .every((value) => next.receiver.values().includes(value)),
      );
    });

    it('shares the partitions between two consumers of a group', async () => {
      await givenTopic(4);
      const a = await recording();
      const b = await recording();
      await publish(numbered('r', 40));
      await Promise.all([a.receiver.first(20), b.receiver.first(20)]);
      const partitionsOfA = new Set(a.receiver.delivered.map(({ lane }) => lane.partition));
      const partitionsOfB = new Set(b.receiver.delivered.map(({ lane }) => lane.partition));
      expect([partitionsOfA.size, partitionsOfB.size]).toEqual([2, 2]);
      expect(partitionsOfA.isDisjointFrom(partitionsOfB)).toBe(true);
    });

    it('gives the partitions of a consumer that stopped to the others', async () => {
      await givenTopic(2);
      const a = await recording();
      const b = await recording();
      await b.consumer.stop();
      await publish(numbered('r', 10));
      await a.receiver.until(() => new Set(a.receiver.values()).size === 10);
    });

    it('ends all lanes when the group changes and begins new ones under a higher assignment', async () => {
      await givenTopic(2);
      await publish(numbered('r', 2));
      const a = await recording();
      const before = (await a.receiver.first(2)).map(({ lane }) => lane);
      await recording();
      await a.receiver.until(() => a.receiver.revoked.length >= 2 && a.receiver.delivered.length > 2);
      const after = a.receiver.delivered.slice(2).map(({ lane }) => lane);
      expect(new Set(a.receiver.revoked)).toEqual(new Set(before));
      expect(Math.min(...after.map(assignmentOf))).toBeGreaterThan(Math.max(...before.map(assignmentOf)));
    });

    it('takes no notice of messages settled on a lane that has ended', async () => {
      await givenTopic(2);
      await publish(numbered('r', 4));
      const a = await recording();
      const stale = await a.receiver.first(4);
      const b = await recording();
      await a.receiver.until(() => a.receiver.revoked.length > 0);
      settle(a.consumer, stale, numbered('r', 4));
      await Promise.all([a.consumer.stop(), b.consumer.stop()]);

      const next = await recording();
      await next.receiver.first(4);
      expect(next.receiver.values().sort()).toEqual(numbered('r', 4));
    });

    it('ends its lanes when it stops', async () => {
      await givenTopic(2);
      await publish(numbered('r', 2));
      const { consumer, receiver } = await recording();
      const messages = await receiver.first(2);
      await consumer.stop();
      expect(new Set(receiver.revoked)).toEqual(new Set(messages.map(({ lane }) => lane)));
    });

    it('delivers nothing after its intake was stopped, and still commits what is settled then', async () => {
      await givenTopic(1);
      await publish(['before']);
      const { consumer, receiver } = await recording();
      const messages = await receiver.first(1);
      consumer.stopIntake();
      await publish(['after']);
      settle(consumer, messages, ['before']);
      await consumer.stop();

      const next = await recording();
      await next.receiver.first(1);
      expect([receiver.values(), next.receiver.values()]).toEqual([['before'], ['after']]);
    });

    it('can be stopped before it was started, and twice', async () => {
      await givenTopic(1);
      const consumer = subject.createConsumer(group, [topic]);
      await consumer.stop();
      await consumer.stop();
    });

    it('refuses to call a message published whose topic is missing', async () => {
      await expect(publish(['lost'])).rejects.toThrow(`could not publish to ${topic}: no such topic`);
    });

    it('publishes to other topics while one is missing', async () => {
      await givenTopic(1);
      const lost = publish(['lost'], `${topic}.missing`);
      const kept = publish(['kept']);
      await expect(lost).rejects.toThrow(PublishError);
      await kept;
      const { receiver } = await recording();
      await receiver.until(() => receiver.values().includes('kept'));
    });

    it('uses and consumes partitions that were added later', async () => {
      await givenTopic(1);
      const { receiver } = await recording();
      await givenTopic(3);
      const seen = () => new Set(receiver.delivered.map(({ lane }) => lane.partition)).size;
      for (let i = 0; seen() < 3; i++) {
        await publish([`r-${i}`]);
        await receiver.until(() => receiver.values().includes(`r-${i}`));
      }
    });

    it('does not take partitions away', async () => {
      await givenTopic(3);
      await givenTopic(1);
      await publish(numbered('r', 3));
      const { receiver } = await recording();
      expect(countByPartition(await receiver.first(3))).toEqual({ 0: 1, 1: 1, 2: 1 });
    });

    it('lets two callers create the same topic at once', async () => {
      await Promise.all([givenTopic(2), givenTopic(2), givenTopic(3)]);
      await givenTopic(3);
      await publish(['r']);
    });

    it('goes on delivering one topic while messages of another are not settled', async () => {
      const slow = `${topic}.slow`;
      await Promise.all([givenTopic(1), givenTopic(1, slow)]);
      await publish(numbered('slow', 50), slow);
      const { consumer, receiver } = await recording([slow, topic]);
      await receiver.first(1);
      for (const value of numbered('quick', 20)) {
        await publish([value]);
        await receiver.until(() => receiver.values().includes(value));
        settle(consumer, receiver.delivered, [value]);
      }
    });

    it('gives each topic to those who subscribe to it, whoever else is in the group', async () => {
      const [award, message] = [`${topic}.award`, `${topic}.message`];
      await Promise.all([givenTopic(4, award), givenTopic(4, message)]);
      const awards = await consuming(settlingReceiver(), [award]);
      awards.receiver.settleWith(awards.consumer);
      const others = await consuming(settlingReceiver(), [message]);
      others.receiver.settleWith(others.consumer);
      await publish(numbered('award', 40), award);
      await publish(numbered('message', 40), message);
      await awards.receiver.until(() => new Set(awards.receiver.values()).size === 40);
      await others.receiver.until(() => new Set(others.receiver.values()).size === 40);
      expect(new Set(awards.receiver.delivered.map(({ lane }) => lane.topic))).toEqual(new Set([award]));
      expect(new Set(others.receiver.delivered.map(({ lane }) => lane.topic))).toEqual(new Set([message]));
    });

    it('creates the topics that a consumer needs', async () => {
      const { receiver } = await recording();
      await publish(['first']);
      await receiver.until(() => receiver.values().includes('first'));
    });

    it('goes on with the other topics while one is deleted, and with that one when it is there again', async () => {
      const gone = `${topic}.gone`;
      await Promise.all([givenTopic(2), givenTopic(2, gone)]);
      const { consumer, receiver } = await consuming(settlingReceiver(), [topic, gone]);
      receiver.settleWith(consumer);
      await publish(numbered('before', 20), gone);
      await publish(numbered('other', 20));
      await receiver.until(() => new Set(receiver.values()).size === 40);

      await subject.deleteTopic(gone);
      for (let round = 0; round < 3; round++) {
        await publish(numbered(`meanwhile-${round}`, 5));
        await receiver.until(() => receiver.values().includes(`meanwhile-${round}-4`));
      }

      await givenTopic(2, gone);
      // Fewer than were committed before it was deleted.
      await untilPublished(numbered('after', 10), gone);
      await receiver.until(() => numbered('after', 10).every((value) => receiver.values().includes(value)));
    });

    it('consumes the topics that it is given later, and no longer those that are taken away', async () => {
      const added = `${topic}.added`;
      await givenTopic(2);
      const { consumer, receiver } = await recording();
      await consumer.subscribe([{ topic: added, partitions: 2, replicationFactor: 1 }]);
      await publish(['unheard']);
      await publish(['heard'], added);
      await receiver.until(() => receiver.values().includes('heard'));
      expect([receiver.values(), consumer.stats().map((entry) => entry.topic)]).toEqual([['heard'], [added]]);
    });

    it('gives topics that it has more partitions, and loses nothing of what comes meanwhile', async () => {
      await givenTopic(1);
      const { consumer, receiver } = await consuming(settlingReceiver());
      receiver.settleWith(consumer);
      await publish(numbered('before', 20));
      await consumer.subscribe([{ topic, partitions: 3, replicationFactor: 1 }]);
      for (let round = 0; new Set(receiver.delivered.map(({ lane }) => lane.partition)).size < 3; round++) {
        await publish(numbered(`later-${round}`, 10));
        await receiver.until(() => receiver.values().includes(`later-${round}-9`));
      }
      await receiver.until(() => numbered('before', 20).every((value) => receiver.values().includes(value)));
    });

    it('never gives a lane more than its mark, however much is published at once', async () => {
      await givenTopic(4);
      await publish(numbered('r', 2000).map((name) => name.padEnd(300, '.')));
      const unsettled = new Map<number, number>();
      let most = 0;
      let handled = 0;
      const { consumer, receiver } = await consuming(
        observingReceiver((messages) => {
          for (const { lane } of messages) {
            const count = (unsettled.get(lane.partition) ?? 0) + 1;
            unsettled.set(lane.partition, count);
            most = Math.max(most, count);
          }
        }),
      );
      while (handled < 2000) {
        await receiver.until(() => receiver.delivered.length > handled);
        const fresh = receiver.delivered.slice(handled);
        handled += fresh.length;
        for (const message of fresh) {
          unsettled.set(message.lane.partition, (unsettled.get(message.lane.partition) ?? 0) - 1);
          consumer.settle(message);
        }
      }
      expect(most).toBeLessThanOrEqual(subject.laneHighMark);
      expect(new Set(receiver.values()).size).toBe(2000);
    });

    it('is ready from when it has joined its group until it stops', async () => {
      await givenTopic(1);
      const consumer = subject.createConsumer(group, [topic]);
      started.push(consumer);
      const before = consumer.ready();
      await consumer.start(createRecordingReceiver());
      const after = consumer.ready();
      await consumer.stop();
      expect([before.ok, after, consumer.ready().ok]).toEqual([false, { ok: true }, false]);
    });

    it('counts what each topic has in work', async () => {
      const empty = `${topic}.empty`;
      await Promise.all([givenTopic(1), givenTopic(2, empty)]);
      await publish(numbered('r', 3));
      const { consumer, receiver } = await recording([topic, empty]);
      settle(consumer, await receiver.first(3), ['r-0']);
      const stats = consumer
        .stats()
        .map(({ topic: named, lanes, unsettled, held }) => ({ named, lanes, unsettled, held }));
      expect(stats).toEqual([
        { named: topic, lanes: 1, unsettled: 2, held: 0 },
        { named: empty, lanes: 2, unsettled: 0, held: 0 },
      ]);
    });

    it('tells how much of a topic the group has not handled, and of a missing one that it is unknown', async () => {
      const missing = `${topic}.missing`;
      await givenTopic(3);
      await publish(numbered('r', 9));
      const backlogs = subject.backlogs(group);
      const before = await backlogs.unhandled([topic, missing]);
      const { consumer, receiver } = await recording();
      settle(consumer, await receiver.first(9), numbered('r', 7));
      await consumer.stop();
      const after = await backlogs.unhandled([topic]);
      expect([before, after]).toEqual([
        new Map([
          [topic, 9],
          [missing, null],
        ]),
        new Map([[topic, 2]]),
      ]);
    });

    it('names the topics that it could not publish to, and publishes to the others', async () => {
      const missing = `${topic}.missing`;
      await givenTopic(1);
      const failure = await subject.publisher
        .publish([
          { topic: missing, value: 'lost' },
          { topic, value: 'kept' },
        ])
        .catch((error: unknown) => error);
      expect(failure instanceof PublishError && failure.topics).toEqual([missing]);
      const { receiver } = await recording();
      await receiver.until(() => receiver.values().includes('kept'));
    });
  });
}

interface Consuming {
  consumer: MessageConsumer;
  receiver: RecordingReceiver;
}

/** Settles whatever arrives, also what arrived before it knew with whom. */
function settlingReceiver(): RecordingReceiver & { settleWith(consumer: MessageConsumer): void } {
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

/** Tells of what arrives before it is recorded. */
function observingReceiver(observe: (messages: readonly LaneMessage[]) => void): RecordingReceiver {
  const recording = createRecordingReceiver();
  return {
    ...recording,
    deliver: (lane, messages) => {
      observe(messages);
      recording.deliver(lane, messages);
    },
  };
}

function settle(consumer: MessageConsumer, messages: readonly LaneMessage[], values: readonly string[]): void {
  for (const value of values) {
    const message = messages.find((candidate) => valueOf(candidate) === value);
    if (!message) throw new Error(`${value} was not delivered`);
    consumer.settle(message);
  }
}

function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${name}-${i}`);
}

function countByPartition(messages: readonly LaneMessage[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { lane } of messages) counts[lane.partition] = (counts[lane.partition] ?? 0) + 1;
  return counts;
}

function assignmentOf({ assignment }: { assignment: number }): number {
  return assignment;
}
