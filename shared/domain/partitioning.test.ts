import { describe, expect, it } from 'vitest';
import { fnv1a, partitionCount, partitionOf } from './partitioning.ts';

describe('fnv1a', () => {
  it.each([
    ['', 0x811c9dc5],
    ['a', 0xe40c292c],
    ['foobar', 0xbf9cf968],
  ])('returns the published hash of %j', (text, hash) => {
    expect(fnv1a(text)).toBe(hash);
  });
});

describe('partitionOf', () => {
  it.each([
    ['01938f1e-7c00-7000-8000-000000000001', 48],
    ['01938f1e-7c00-7000-8000-000000000002', 9],
    ['ffffffff-ffff-7fff-bfff-ffffffffffff', 57],
    ['fälligkeit 🕐', 17],
  ])('returns the same partition for the key %s as in every release', (key, partition) => {
    expect(partitionOf(key)).toBe(partition);
  });

  it('spreads keys that differ in only their last digits over all partitions', () => {
    const seen = new Set<number>();
    for (let i = 0; i < 1000; i++) seen.add(partitionOf(`01938f1e-7c00-7000-8000-${String(i).padStart(12, '0')}`));
    expect(seen.size).toBe(partitionCount);
  });
});
