import { expect, test } from 'vitest';
import { scheduler } from '../../testing/jobs.ts';
import { nodeName, partitionMap, regionLooks } from './region-look.ts';

test('a region has its nodes, schedulers first, with what they lead and what is due in their partitions', () => {
  const [east, west] = regionLooks({ ...scheduler, nodes: scheduler.nodes.toReversed() });
  expect(east?.nodes.map(({ node, leads, due }) => [node.owner, leads, due])).toEqual([
    ['scheduler-1a', ['schedules'], 3],
    ['dispatcher-1a', [], 0],
  ]);
  expect([east?.partitions, west?.nodes]).toEqual([2, []]);
});

test('each owner has a letter; what moves, and what nobody owns, is told apart', () => {
  const { cells, owners } = partitionMap(scheduler.partitions);
  expect(cells.map(({ letter, isMoving }) => [letter, isMoving])).toEqual([
    ['a', false],
    ['a', true],
    ['', false],
  ]);
  expect(owners).toEqual([{ letter: 'a', owner: 'scheduler-1a', partitions: 2 }]);
});

test('a node is called by its machine and the end of its id', () => {
  expect(nodeName('scheduler@east-1/01a20b02-8b3d-76da-80c0-8d7343ec7325')).toBe('east-1 …ec7325');
  expect(nodeName('scheduler-1a')).toBe('scheduler-1a');
});
