import { describe, expect, it } from 'vitest';
import { controlVerbs, isChangeable, moveOf, timeToStopMs, type ControlVerb } from './run-control.ts';
import { canMove, isTerminal, runStates, type RunState } from './run-states.ts';

/**
 * Next state of a run by verb. `-` means that the run stays in its state; an absent verb is refused. In all states but
 * `preparing`, the run has begun.
 */
const becomes: Record<RunState, Partial<Record<ControlVerb, RunState | '-'>>> = {
  preparing: { pause: 'paused', resume: '-', cancel: 'cancelled' },
  running: { pause: 'pausing', resume: '-', cancel: 'cancelling' },
  pausing: { pause: '-', resume: 'running', cancel: 'cancelling' },
  paused: { pause: '-', resume: 'running', cancel: 'cancelling' },
  cancelling: { cancel: '-' },
  completed: {},
  completed_with_failures: {},
  cancelled: { cancel: '-' },
  expired: {},
  failed: {},
};

/** A run that is paused may or may not have begun. */
function hasBegunIn(state: RunState): boolean[] {
  if (state === 'paused') return [true, false];
  return [state !== 'preparing'];
}

describe.each(runStates)('a run that is %s', (state) => {
  it.each(controlVerbs)('has the documented result of %s', (verb) => {
    const expected = becomes[state][verb];
    const move = moveOf(verb, state, state !== 'preparing');
    if (expected === undefined) expect(move.kind).toBe('forbidden');
    else expect(move).toEqual(expected === '-' ? { kind: 'stays' } : { kind: 'move', to: expected });
  });

  it('changes only to states that the table of states allows', () => {
    for (const verb of controlVerbs) {
      for (const hasBegun of hasBegunIn(state)) {
        const move = moveOf(verb, state, hasBegun);
        if (move.kind === 'move') expect([verb, canMove(state, move.to)]).toEqual([verb, true]);
      }
    }
  });
});

it('a run that has not begun is paused, prepared again and cancelled at once', () => {
  expect(moveOf('pause', 'preparing', false)).toEqual({ kind: 'move', to: 'paused' });
  expect(moveOf('resume', 'paused', false)).toEqual({ kind: 'move', to: 'preparing' });
  expect(moveOf('cancel', 'preparing', false)).toEqual({ kind: 'move', to: 'cancelled' });
  expect(moveOf('cancel', 'paused', false)).toEqual({ kind: 'move', to: 'cancelled' });
});

it('a refused verb lists the states that would allow it', () => {
  expect(moveOf('pause', 'completed', true)).toEqual({
    kind: 'forbidden',
    allowed: ['preparing', 'running', 'pausing', 'paused'],
  });
  expect(moveOf('resume', 'cancelling', true)).toEqual({
    kind: 'forbidden',
    allowed: ['pausing', 'paused', 'preparing', 'running'],
  });
});

it('a run can be changed until it is being cancelled or has ended', () => {
  expect(runStates.filter(isChangeable)).toEqual(['preparing', 'running', 'pausing', 'paused']);
  expect(runStates.filter((state) => isTerminal(state) && isChangeable(state))).toEqual([]);
});

it('a run has stopped when the longest call that may be in flight has ended', () => {
  expect(timeToStopMs([10_000, 30_000])).toBe(32_000);
  expect(timeToStopMs([])).toBe(2000);
});
