import { beforeEach, describe, expect, it } from 'vitest';
import { createRecordingReceiver } from '../recording-receiver.ts';
import {
  assignmentOf,
  busForEach,
  numbered,
  observingReceiver,
  settle,
  settlingReceiver,
  type MessageBusSubject,
} from './message-bus-subject.ts';

/** Tests the delivery of messages from a publisher to the consumers that settle them. */
export function describeMessageDelivery(name: string, makeSubject: () => Promise<MessageBusSubject>): void {
  describe(`message delivery of a bus: ${name}`, () => {
    const { current, create, givenTopic, publish, consuming, recording } = busForEach(makeSubject);
    let subject: MessageBusSubject;
    let topic: string;
    let group: string;
    beforeEach(() => {
      ({ subject, topic, group } = current());
    });

    it('delivers all messages published before and after the consumer started', async () => {
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

    it('resumes at the first unsettled message, whatever was settled after it', async () => {
      await givenTopic(1);
      await publish(['0', '1', '2', '3', '4']);
      const { consumer, receiver } = await recording();
      settle(consumer, await receiver.first(5), ['4', '0', '3', '1']);
      await consumer.stop();

      const next = await recording();
      await next.receiver.first(3);
      expect(next.receiver.values()).toEqual(['2', '3', '4']);
    });

    it('does not redeliver messages settled before a stop', async () => {
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

    it('redelivers unsettled messages after a crash', async () => {
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

    it('gives the partitions of a stopped consumer to the others', async () => {
      await givenTopic(2);
      const a = await recording();
      const b = await recording();
      await b.consumer.stop();
      await publish(numbered('r', 10));
      await a.receiver.until(() => new Set(a.receiver.values()).size === 10);
    });

    it('ends all lanes when the group changes, and begins new lanes under a higher assignment', async () => {
      await givenTopic(2);
      await publish(numbered('r', 2));
      const a = await recording();
      const before = (await a.receiver.first(2)).map(({ lane }) => lane);
      await recording();
      await a.receiver.until(() => a.receiver.revoked.length >= 2 && a.receiver.delivered.length > 2);
      const after = a.receiver.delivered.slice(2).map(({ lane }) => lane);
      expect(new Set(a.receiver.revoked.slice(0, 2))).toEqual(new Set(before));
      // The group changes again if a member joins late. Then lanes of a later assignment are revoked too.
      const later = [...after, ...a.receiver.revoked.slice(2)];
      expect(Math.min(...later.map(assignmentOf))).toBeGreaterThan(Math.max(...before.map(assignmentOf)));
    });

    it('ignores messages settled on a lane that has ended', async () => {
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

    it('ends the lanes of a consumer that stops', async () => {
      await givenTopic(2);
      await publish(numbered('r', 2));
      const { consumer, receiver } = await recording();
      const messages = await receiver.first(2);
      await consumer.stop();
      expect(new Set(receiver.revoked)).toEqual(new Set(messages.map(({ lane }) => lane)));
    });

    it('delivers nothing after stopIntake, and still commits messages settled afterwards', async () => {
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

    it('allows to stop a consumer before its start, and twice', async () => {
      await givenTopic(1);
      const consumer = subject.createConsumer(group, [topic]);
      await consumer.stop();
      await consumer.stop();
    });

    it('continues to deliver one topic while messages of another are unsettled', async () => {
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

    it('never exceeds the high mark of a lane, however much is published at once', async () => {
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

    it('is ready from joining the group until the stop', async () => {
      await givenTopic(1);
      const consumer = create();
      const before = consumer.ready();
      await consumer.start(createRecordingReceiver());
      const after = consumer.ready();
      await consumer.stop();
      expect([before.ok, after, consumer.ready().ok]).toEqual([false, { ok: true }, false]);
    });

    it('counts the unsettled messages of each topic', async () => {
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
  });
}
