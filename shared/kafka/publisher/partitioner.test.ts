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

describe('the partitioner', () => {
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

  it('goes on in the next producer where it was', () => {
    const createChoice = createPartitioner(createPlacement({ monotonicMs: () => 0 }));
    expect([chooser(createChoice)({ value: 'v' }), chooser(createChoice)({ value: 'v' })]).toEqual([0, 1]);
  });
});
