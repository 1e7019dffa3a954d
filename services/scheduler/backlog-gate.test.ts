import { expect, it } from 'vitest';
import { createBacklogGate } from './backlog-gate.ts';

it('closes above ten seconds of work, and opens below half of that', () => {
  const gate = createBacklogGate();
  const states = [200_000, 200_001, 150_000, 100_000, 99_999, 200_000].map((jobs) => {
    gate.update({ jobs, perSecond: 20_000 });
    return gate.isClosed;
  });
  expect(states).toEqual([false, true, true, true, false, false]);
});

it('lets a floor pass however slow dispatchers were, and opens again at half of it', () => {
  const gate = createBacklogGate();
  const states = [100_000, 100_001, 50_000, 49_999].map((jobs) => {
    gate.update({ jobs, perSecond: 1 });
    return gate.isClosed;
  });
  expect(states).toEqual([false, true, true, false]);
});

it('stays open while nobody knows what lies there', () => {
  const gate = createBacklogGate();
  gate.update({ jobs: 1_000_000, perSecond: 0 });
  expect([gate.isClosed, gate.seconds]).toEqual([true, Infinity]);
  gate.update({ jobs: null, perSecond: 0 });
  expect([gate.isClosed, gate.seconds]).toEqual([false, null]);
});
