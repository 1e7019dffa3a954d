import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { assignPartitions } from './assign-partitions.ts';

const partitions = 64;
const none = Array.from({ length: partitions }, () => null);
const nodesOf = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `scheduler-${from + index}`);
const movesBetween = (a: readonly (string | null)[], b: readonly (string | null)[]) =>
  a.filter((owner, index) => owner !== b[index]).length;

/** Repeats the assignment until nothing changes. */
function settled(nodes: readonly string[], from: readonly (string | null)[]): (string | null)[] {
  let current = assignPartitions(nodes, from);
  for (let turns = 0; turns < 10; turns++) current = assignPartitions(nodes, current);
  return current;
}

describe('the assignment of partitions to nodes', () => {
  it('gives each partition to a live node, with shares that differ by at most one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), (count) => {
        const assigned = assignPartitions(nodesOf(count), none);
        const loads = nodesOf(count).map((node) => assigned.filter((owner) => owner === node).length);
        expect(loads.reduce((sum, load) => sum + load, 0)).toBe(partitions);
        expect(Math.max(...loads)).toBeLessThanOrEqual(Math.ceil(partitions / count));
      }),
    );
  });

  it('depends neither on the previous assignment nor on the order in which nodes are listed', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.array(fc.option(fc.constantFrom(...nodesOf(8)), { nil: null }), {
          minLength: partitions,
          maxLength: partitions,
        }),
        (count, before) => {
          const nodes = nodesOf(count);
          expect(settled(nodes, before)).toEqual(assignPartitions(nodes, none));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('moves at most 16 partitions of live nodes at once if nodes join', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 8 }), (count, more) => {
        const before = assignPartitions(nodesOf(count), none);
        expect(movesBetween(before, assignPartitions(nodesOf(count + more), before))).toBeLessThanOrEqual(16);
      }),
    );
  });

  it('gives all partitions of a dead node to others at once', () => {
    const before = assignPartitions(nodesOf(2), none);
    const after = assignPartitions(nodesOf(1), before);
    expect(new Set(after)).toEqual(new Set(nodesOf(1)));
  });

  it('moves few more partitions than the share of a joining node', () => {
    const before = assignPartitions(nodesOf(4), none);
    expect(movesBetween(before, settled(nodesOf(5), before))).toBeLessThanOrEqual(2 * Math.ceil(partitions / 5));
  });

  it('is empty without live nodes', () => {
    expect(assignPartitions([], assignPartitions(nodesOf(2), none))).toEqual(none);
  });
});
