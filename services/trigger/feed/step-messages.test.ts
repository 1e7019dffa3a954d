import { describe, expect, it } from 'vitest';
import { stepMessage, type StepMessage } from '../../../shared/contracts/messages/messages.ts';
import type { LostRef } from '../ports/outbox-sweep.ts';
import type { OutgoingMessage } from '../../../shared/ports/message-bus.ts';
import { fedMessages, lostMessages } from './step-messages.ts';

const feed = '01939b8e-5a34-7c5b-9d5a-1f0d0a9f7a11';
const first = { feedId: feed, fromStep: 1 };
const otherFeed = '01939b8e-5a34-7c5b-9d5a-1f0d0a9f7a12';

function messagesIn(records: readonly OutgoingMessage[]): StepMessage[] {
  return records.map(({ value }) => stepMessage.parse(JSON.parse(value)));
}

function batchesFrom(first: number, count: number) {
  return Array.from({ length: count }, (_, i) => ({ batchNo: first + i, users: ['u1', 'u2'] }));
}

function lostRef(changes: Partial<LostRef>): LostRef {
  return { feedId: feed, batchNo: 1, step: 1, lost: [], remaining: 100, ...changes };
}

const toTopic = () => 'muster.award-reward.SG';

describe('the messages of fed batches', () => {
  it('contain batch numbers and user counts, but no user ids', () => {
    expect(fedMessages('topic', first, batchesFrom(7, 2))).toEqual([
      { topic: 'topic', value: JSON.stringify({ feedId: feed, step: 1, batchNos: [7, 8], remaining: [2, 2] }) },
    ]);
  });

  it('are many small ones for a new feed, so that a small campaign is spread over all partitions', () => {
    const sizes = messagesIn(fedMessages('topic', first, batchesFrom(1, 95))).map(({ batchNos }) => batchNos.length);
    expect(sizes).toEqual([10, 10, 10, 10, 10, 10, 10, 10, 10, 5]);
  });

  it('are few large ones for a large feed', () => {
    const sizes = messagesIn(fedMessages('topic', first, batchesFrom(1001, 100))).map(
      ({ batchNos }) => batchNos.length,
    );
    expect(sizes).toEqual([50, 50]);
  });

  it('are an empty list if there are no batches', () => {
    expect(fedMessages('topic', first, [])).toEqual([]);
  });
});

describe('the messages of lost references', () => {
  it('contain references of one feed and step each', () => {
    const refs = [
      lostRef({ batchNo: 1 }),
      lostRef({ batchNo: 1, step: 2, remaining: 99, lost: ['u1'] }),
      lostRef({ batchNo: 4 }),
      lostRef({ feedId: otherFeed, batchNo: 2 }),
    ];
    expect(messagesIn(lostMessages(toTopic, refs))).toEqual([
      { feedId: feed, step: 1, batchNos: [1, 4], remaining: [100, 100] },
      { feedId: feed, step: 2, batchNos: [1], remaining: [99], lost: [['u1']] },
      { feedId: otherFeed, step: 1, batchNos: [2], remaining: [100] },
    ]);
  });

  it('are published to the topic of their step', () => {
    const refs = [lostRef({ step: 1 }), lostRef({ step: 2 })];
    expect(lostMessages(({ step }) => `topic-${step}`, refs).map(({ topic }) => topic)).toEqual(['topic-1', 'topic-2']);
  });

  it('omit long lists of lost users, which the worker reads itself after its claim', () => {
    const many = Array.from({ length: 21 }, (_, i) => `u${i}`);
    const refs = [lostRef({ step: 2, batchNo: 1, lost: many }), lostRef({ step: 2, batchNo: 2 })];
    expect(messagesIn(lostMessages(toTopic, refs))).toMatchObject([{ batchNos: [1, 2], lost: [null, []] }]);
  });

  it('are spread over several records', () => {
    const refs = Array.from({ length: 25 }, (_, i) => lostRef({ batchNo: i + 1 }));
    expect(messagesIn(lostMessages(toTopic, refs)).map(({ batchNos }) => batchNos.length)).toEqual([10, 10, 5]);
  });
});
