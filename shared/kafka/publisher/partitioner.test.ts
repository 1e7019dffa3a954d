import type { Message } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { createPartitioner } from './partitioner.ts';
import { createPlacement } from './placement.ts';

const partitionMetadata = [0, 1, 2].map((partitionId) => ({
  partitionId,
  partitionErrorCode: 0,
  leader: 1,
  replicas: [1],
  isr: [1],
}));

function chooser(createChoice = createPartitioner(createPlacement({ monotonicMs: () => 0 }))) {
  const choose = createChoice();
  return (message: Message) => choose({ topic: 't', message, partitionMetadata });
}

describe('the partitioner of the publisher', () => {
  it('chooses the same partition for a message each time', () => {
    const choose = chooser();
    const message: Message = { value: 'v' };
    expect([choose(message), choose({ value: 'other' }), choose(message)]).toEqual([0, 1, 0]);
  });

  it('chooses one partition for all messages with the same key', () => {
    const choose = chooser();
    const chosen = new Set(Array.from({ length: 10 }, () => choose({ key: 'k', value: 'v' })));
    expect(chosen.size).toBe(1);
  });

  it('continues its round robin in the next producer', () => {
    const createChoice = createPartitioner(createPlacement({ monotonicMs: () => 0 }));
    expect([chooser(createChoice)({ value: 'v' }), chooser(createChoice)({ value: 'v' })]).toEqual([0, 1]);
  });
});
