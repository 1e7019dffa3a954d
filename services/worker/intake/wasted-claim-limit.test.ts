import { describe, expect, it } from 'vitest';
import type { QueuedStep } from '../step/work.ts';
import { createWastedClaimLimit } from './wasted-claim-limit.ts';

const lane = { topic: 'a', partition: 0, assignment: 1 };
const steps = (topic: string, count: number): QueuedStep[] =>
  Array.from({ length: count }, (_, index) => {
    const origin = { message: { lane: { ...lane, topic }, offset: index, key: null, value: null }, open: 1 };
    return { feedId: 'f', batchNo: index + 1, step: 1, topic, origin, remaining: 1, lost: [], lostDigest: null };
  });

const due = (topic: string, count: number) => steps(topic, count).map((queued) => ({ queued }));

describe('the limit of claims for a shard', () => {
  it('halves with each flush whose claims find nothing, down to a minimum, without an effect on other shards', () => {
    const vain = createWastedClaimLimit();
    expect(vain.limitOf('a')).toBe(Infinity);
    vain.note(due('b', 10), steps('a', 490));
    expect(vain.limitOf('a')).toBe(245);
    for (let flush = 0; flush < 5; flush++) vain.note([], steps('a', vain.limitOf('a')));
    expect(vain.limitOf('a')).toBe(100);
    expect(vain.limitOf('b')).toBe(Infinity);
  });

  it('grows again when a claim finds a due step', () => {
    const vain = createWastedClaimLimit();
    vain.note([], steps('a', 500));
    vain.note([], steps('a', 250));
    expect(vain.limitOf('a')).toBe(125);
    vain.note(due('a', 1), steps('a', 124));
    expect(vain.limitOf('a')).toBe(500);
    vain.note(due('a', 1), []);
    expect(vain.limitOf('a')).toBe(Infinity);
  });

  it('stays at least 100 even if most claims find nothing', () => {
    const vain = createWastedClaimLimit();
    vain.note([], steps('a', 3));
    expect(vain.limitOf('a')).toBeGreaterThanOrEqual(100);
  });
});
