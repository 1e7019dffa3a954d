import type { Message } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { createSpread } from './spread.ts';

function partitions(count: number) {
  return Array.from({ length: count }, (_, partitionId) => ({
    partitionId,
    partitionErrorCode: 0,
    leader: 1,
    replicas: [1],
    isr: [1],
  }));
}

function chooser(choose = createSpread()()) {
  return (message: Message, count = 3, topic = 't') => choose({ topic, message, partitionMetadata: partitions(count) });
}

describe('the spread of messages over partitions', () => {
  it('goes round for messages without a key, for each topic by itself', () => {
    const choose = chooser();
    expect([0, 1, 2, 3].map(() => choose({ value: 'v' }))).toEqual([0, 1, 2, 0]);
    expect(choose({ value: 'v' }, 3, 'another')).toBe(0);
  });

  it('takes in partitions that were added', () => {
    const choose = chooser();
    expect([choose({ value: 'v' }, 1), choose({ value: 'v' }, 2), choose({ value: 'v' }, 2)]).toEqual([0, 1, 0]);
  });

  it('keeps a message where it was put first, however often it is asked', () => {
    const choose = chooser();
    const message: Message = { value: 'v' };
    expect([choose(message), choose({ value: 'other' }), choose(message)]).toEqual([0, 1, 0]);
  });

  it('puts messages of one key into one partition', () => {
    const choose = chooser();
    const chosen = new Set(Array.from({ length: 10 }, () => choose({ key: 'k', value: 'v' })));
    expect(chosen.size).toBe(1);
  });

  it('goes on with its round in the next producer', () => {
    const spread = createSpread();
    expect([chooser(spread())({ value: 'v' }), chooser(spread())({ value: 'v' })]).toEqual([0, 1]);
  });
});
