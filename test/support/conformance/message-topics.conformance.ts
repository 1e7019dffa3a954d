import { beforeEach, describe, expect, it } from 'vitest';
import { PublishError } from '../../../shared/ports/message-bus.ts';
import { valueOf } from '../recording-receiver.ts';
import {
  busForEach,
  countByPartition,
  numbered,
  settle,
  settlingReceiver,
  type MessageBusSubject,
} from './message-bus-subject.ts';

/** Tests topics, their partitions, and the assignment of partitions. */
export function describeMessageTopics(name: string, makeSubject: () => Promise<MessageBusSubject>): void {
  describe(`topics of a bus: ${name}`, () => {
    const { current, givenTopic, publish, untilPublished, consuming, recording } = busForEach(makeSubject);
    let subject: MessageBusSubject;
    let topic: string;
    let group: string;
    beforeEach(() => {
      ({ subject, topic, group } = current());
    });

    it('spread messages without a key over all partitions', async () => {
      await givenTopic(3);
      await publish(numbered('r', 9));
      const { receiver } = await recording();
      const messages = await receiver.first(9);
      expect(countByPartition(messages)).toEqual({ 0: 3, 1: 3, 2: 3 });
    });

    it('keep messages of one key in one partition, in order', async () => {
      await givenTopic(3);
      const values = numbered('r', 5);
      await subject.publisher.publish(values.map((value) => ({ topic, key: 'k', value })));
      const { receiver } = await recording();
      const messages = await receiver.first(5);
      expect(Object.values(countByPartition(messages))).toEqual([5]);
      expect(messages.map(valueOf)).toEqual(values);
    });

    it('refuse a message if they do not exist', async () => {
      await expect(publish(['lost'])).rejects.toThrow(`could not publish to ${topic}: no such topic`);
    });

    it('accept messages while another topic is missing', async () => {
      await givenTopic(1);
      const lost = publish(['lost'], `${topic}.missing`);
      const kept = publish(['kept']);
      await expect(lost).rejects.toThrow(PublishError);
      await kept;
      const { receiver } = await recording();
      await receiver.until(() => receiver.values().includes('kept'));
    });

    it('deliver messages of partitions that were added later', async () => {
      await givenTopic(1);
      const { receiver } = await recording();
      await givenTopic(3);
      const seen = () => new Set(receiver.delivered.map(({ lane }) => lane.partition)).size;
      for (let i = 0; seen() < 3; i++) {
        await publish([`r-${i}`]);
        await receiver.until(() => receiver.values().includes(`r-${i}`));
      }
    });

    it('keep their partitions if fewer are requested', async () => {
      await givenTopic(3);
      await givenTopic(1);
      await publish(numbered('r', 3));
      const { receiver } = await recording();
      expect(countByPartition(await receiver.first(3))).toEqual({ 0: 1, 1: 1, 2: 1 });
    });

    it('can be created by two callers at once', async () => {
      await Promise.all([givenTopic(2), givenTopic(2), givenTopic(3)]);
      await givenTopic(3);
      await publish(['r']);
    });

    it('are assigned to the consumers that subscribe to them, whatever else is in the group', async () => {
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

    it('are created if a consumer needs them', async () => {
      const { receiver } = await recording();
      await publish(['first']);
      await receiver.until(() => receiver.values().includes('first'));
    });

    it('are consumed while another topic is deleted, and that topic after it is recreated', async () => {
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
      // Fewer messages than were committed before the deletion.
      await untilPublished(numbered('after', 10), gone);
      await receiver.until(() => numbered('after', 10).every((value) => receiver.values().includes(value)));
    });

    it('are consumed after they are added to a subscription, and no longer after they are removed', async () => {
      const added = `${topic}.added`;
      await givenTopic(2);
      const { consumer, receiver } = await recording();
      await consumer.subscribe([{ topic: added, partitions: 2, replicationFactor: 1 }]);
      await publish(['unheard']);
      await publish(['heard'], added);
      await receiver.until(() => receiver.values().includes('heard'));
      expect([receiver.values(), consumer.stats().map((entry) => entry.topic)]).toEqual([['heard'], [added]]);
    });

    it('get more partitions through a subscription, without losing messages in the meantime', async () => {
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

    it('report the unhandled messages of a group, and null if they are missing', async () => {
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

    it('are named in the error if publishing to them fails, while others get their messages', async () => {
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
