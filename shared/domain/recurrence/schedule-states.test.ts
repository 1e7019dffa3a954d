import { describe, expect, it } from 'vitest';
import { scheduleMoveOf, scheduleStates, scheduleVerbs } from './schedule-states.ts';

describe('an action on a schedule', () => {
  it('has no further effect when it is repeated', () => {
    for (const verb of scheduleVerbs) {
      for (const state of scheduleStates) {
        const move = scheduleMoveOf(verb, state);
        if (move.kind === 'move') expect(scheduleMoveOf(verb, move.to)).toEqual({ kind: 'stays' });
      }
    }
  });

  it('is refused in other states, with the list of allowed states', () => {
    expect(scheduleMoveOf('resume', 'disabled')).toEqual({ kind: 'forbidden', allowed: ['paused', 'active'] });
    expect(scheduleMoveOf('pause', 'ended')).toEqual({ kind: 'forbidden', allowed: ['active', 'paused'] });
  });
});
