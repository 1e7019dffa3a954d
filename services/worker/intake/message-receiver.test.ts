import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { DeadLetter } from '../../../shared/ports/dead-letters.ts';
import type { LaneMessage } from '../../../shared/ports/message-bus.ts';
import { settled } from '../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createLetterKeeper } from '../../../shared/runtime/installation/letter-keeper.ts';
import { noMeter } from '../../../shared/runtime/meter/no-meter.ts';
import { createMessageReceiver } from './message-receiver.ts';
import { createStepQueue } from './step-queue.ts';

const topic = 'muster.award-reward.SG';
const otherTopic = 'muster.award-reward.ID';
const logger = pino({ level: 'silent' });
const lane = { topic, partition: 0, assignment: 1 };

function messageOf(offset: number, content: unknown): LaneMessage {
  return { lane, offset, key: null, value: Buffer.from(JSON.stringify(content)) };
}

function setUp(add: (letters: readonly DeadLetter[]) => Promise<void> = () => Promise.resolve()) {
  const queue = createStepQueue();
  const handled: number[] = [];
  const settle = ({ offset }: LaneMessage) => void handled.push(offset);
  const receiver = createMessageReceiver({
    queue,
    letters: createLetterKeeper({ deadLetters: { add }, meter: noMeter, clock: createSettableClock(), logger }),
    shards: new Set([topic, otherTopic]),
    onSettled: settle,
    onHandled: ({ message }) => settle(message),
    onArrived: () => undefined,
  });
  return { queue, handled, receiver };
}

describe('the message receiver of a worker', () => {
  it('queues at most 100,000 steps, and half of them per shard, and marks further messages as handled', () => {
    const { queue, handled, receiver } = setUp();
    const batchNos = Array.from({ length: 50 }, (_, index) => index + 1);
    const remaining = batchNos.map(() => 100);
    const feedId = '01999999-0000-7000-8000-000000000001';
    const messages = Array.from({ length: 2010 }, (_, offset) => {
      return messageOf(offset, { feedId, step: 1, batchNos, remaining });
    });
    receiver.deliver(lane, messages);
    expect(queue.size).toBe(100_000);
    expect(handled).toHaveLength(10);

    const otherLane = { ...lane, topic: otherTopic };
    receiver.deliver(
      otherLane,
      messages.map((message) => ({ ...message, lane: otherLane })),
    );
    expect(queue.sizeOf(otherTopic)).toBe(50_000);
    queue.take(topic, 60_000, { of: () => 60_000, use: () => undefined });
    queue.drop(lane);
    expect(queue.sizeOf(topic)).toBe(0);
    expect(queue.size).toBe(50_000);
  });

  it('quarantines 250 unreadable messages in at most four statements', async () => {
    const groups: number[] = [];
    const { handled, receiver } = setUp((letters) => {
      groups.push(letters.length);
      return Promise.resolve();
    });
    receiver.deliver(
      lane,
      Array.from({ length: 250 }, (_, offset) => messageOf(offset, 'garbage')),
    );
    await settled();
    expect(groups.length).toBeLessThanOrEqual(4);
    expect(Math.max(...groups)).toBe(100);
    expect(handled).toHaveLength(250);
  });

  it.each([
    ['1 remaining, no lost', { remaining: [100] }],
    ['2 remaining, 1 lost', { remaining: [100, 99], lost: [[]] }],
  ])('quarantines a message whose lists have different lengths: 2 batchNos, %s', async (counts, lists) => {
    const reasons: string[] = [];
    const { queue, receiver } = setUp((letters) => {
      reasons.push(...letters.map(({ reason }) => reason));
      return Promise.resolve();
    });
    const feedId = '01999999-0000-7000-8000-000000000001';
    receiver.deliver(lane, [messageOf(0, { feedId, step: 2, batchNos: [1, 2], ...lists })]);
    await settled();
    expect(reasons).toEqual([`not a reference to steps of batches: lists of different lengths: 2 batchNos, ${counts}`]);
    expect(queue.size).toBe(0);
  });

  it('queues a step for each batch number, with its numbers of remaining and lost users', () => {
    const { queue, receiver } = setUp();
    const feedId = '01999999-0000-7000-8000-000000000001';
    receiver.deliver(lane, [
      messageOf(0, { feedId, step: 2, batchNos: [1, 2], remaining: [100, 99], lost: [[], ['u7']] }),
    ]);
    const taken = queue.take(topic, 10, { of: () => 10, use: () => undefined });
    expect(taken.map(({ batchNo, remaining, lost }) => [batchNo, remaining, lost])).toEqual([
      [1, 100, []],
      [2, 99, ['u7']],
    ]);
  });
});
