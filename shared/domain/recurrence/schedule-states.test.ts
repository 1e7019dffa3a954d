import { describe, expect, it } from 'vitest';
import { scheduleMoveOf, scheduleStates, scheduleVerbs } from './schedule-states.ts';

describe('what people ask of a schedule', () => {
  it('is done once: asked for again, it stays as it is', () => {
    for (const verb of scheduleVerbs) {
      for (const state of scheduleStates) {
        const move = scheduleMoveOf(verb, state);
        if (move.kind === 'move') expect(scheduleMoveOf(verb, move.to)).toEqual({ kind: 'stays' });
      }
    }
  });

  it('is refused where it makes no sense, with the states that allow it', () => {
    expect(scheduleMoveOf('resume', 'disabled')).toEqual({ kind: 'forbidden', allowed: ['paused', 'active'] });
    expect(scheduleMoveOf('pause', 'ended')).toEqual({ kind: 'forbidden', allowed: ['active', 'paused'] });
  });
});
