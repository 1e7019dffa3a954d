import { describe, expect, it } from 'vitest';
import type { OrderedFile, OrderReason } from './order-rest.ts';
import { RestQueue } from './rest-queue.ts';

const fileOf = (file: string, reason: OrderReason, minutes = 4): OrderedFile => ({
  tier: 'faults',
  file,
  reason,
  minutes,
});

/** The files that are started, each of which takes as long as given. */
function started(files: readonly OrderedFile[], minutes: number, took: number) {
  let nowMs = 0;
  const queue = new RestQueue(files, { beganMs: 0, minutes, nowMs: () => nowMs });
  const names: string[] = [];
  for (let next = queue.first(); next !== undefined; next = queue.first()) {
    queue.take(next);
    names.push(next.file);
    nowMs += took * 60_000;
  }
  return { names, notStarted: queue.notStarted().map(({ file }) => file) };
}

describe('the queue of the remaining tests', () => {
  const order = [
    ...['touched 1', 'touched 2', 'touched 3'].map((name) => fileOf(name, 'touched')),
    ...[fileOf('turn 1', 'turn'), fileOf('turn 2', 'turn'), fileOf('later', 'later')],
  ];

  it('returns files in order while there is time', () => {
    expect(started(order, 100, 4).names).toEqual(order.map(({ file }) => file));
  });

  it('moves affected files behind the daily turn after half of the time if they take longer than expected', () => {
    expect(started(order, 30, 9)).toEqual({
      names: ['touched 1', 'touched 2', 'turn 1'],
      notStarted: ['touched 3', 'turn 2', 'later'],
    });
    expect(started(order, 40, 11).names).toEqual(['touched 1', 'touched 2', 'turn 1', 'turn 2']);
  });

  it('skips a file that no longer fits', () => {
    const files = [fileOf('a', 'turn', 8), fileOf('long', 'turn', 9), fileOf('short', 'later', 2)];
    expect(started(files, 10, 2)).toEqual({ names: ['a', 'short'], notStarted: ['long'] });
  });

  it('starts nothing in the last minute', () => {
    expect(started([fileOf('a', 'turn', 0.5)], 1, 1).names).toEqual([]);
  });
});
