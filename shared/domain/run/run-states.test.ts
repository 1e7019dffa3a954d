import { describe, expect, it } from 'vitest';
import { canMove, isTerminal, runStates, statesBefore } from './run-states.ts';

describe('the states of a run', () => {
  it('do not change from a terminal state', () => {
    for (const from of runStates.filter(isTerminal)) {
      expect(runStates.filter((to) => canMove(from, to))).toEqual([]);
    }
  });

  it('can all be reached from preparing', () => {
    const reached = new Set(['preparing']);
    for (let grown = true; grown;) {
      const before = reached.size;
      for (const to of runStates) if (statesBefore(to).some((from) => reached.has(from))) reached.add(to);
      grown = reached.size > before;
    }
    expect([...reached].sort()).toEqual([...runStates].sort());
  });

  it('change to completed only from running', () => {
    expect(statesBefore('completed')).toEqual(['running']);
    expect(statesBefore('completed_with_failures')).toEqual(['running']);
  });
});
