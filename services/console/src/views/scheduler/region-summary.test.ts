import { expect, test } from 'vitest';
import { scheduler } from '../../../testing/callbacks/jobs.ts';
import { nodeName, mapPartitions, summarizeRegions } from './region-summary.ts';

test('a region lists its nodes, schedulers first, with their leases and due jobs', () => {
  const [east, west] = summarizeRegions({ ...scheduler, nodes: scheduler.nodes.toReversed() });
  expect(east?.nodes.map(({ node, leads, due }) => [node.owner, leads, due])).toEqual([
    ['scheduler-1a', ['schedules'], 3],
    ['dispatcher-1a', [], 0],
  ]);
  expect([east?.partitions, west?.nodes]).toEqual([2, []]);
});

test('each owner has a letter, and moving and unowned partitions are marked', () => {
  const { cells, owners } = mapPartitions(scheduler.partitions);
  expect(cells.map(({ letter, isMoving }) => [letter, isMoving])).toEqual([
    ['a', false],
    ['a', true],
    ['', false],
  ]);
  expect(owners).toEqual([{ letter: 'a', owner: 'scheduler-1a', partitions: 2 }]);
});

test('the name of a node is its machine and the end of its id', () => {
  expect(nodeName('scheduler@east-1/01a20b02-8b3d-76da-80c0-8d7343ec7325')).toBe('east-1 …ec7325');
  expect(nodeName('scheduler-1a')).toBe('scheduler-1a');
});
