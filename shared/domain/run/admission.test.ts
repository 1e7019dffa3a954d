import { describe, expect, it } from 'vitest';
import { admissionOf, type Verdict } from './admission.ts';
import { isTerminal, runStates, type RunState } from './run-states.ts';

describe('the admission of work', () => {
  it.each<[RunState, boolean, Verdict]>([
    ['running', false, 'go'],
    ['running', true, 'expire'],
    ['pausing', false, 'hold'],
    ['paused', false, 'hold'],
    ['paused', true, 'hold'],
    ['cancelling', false, 'cancel'],
    ['cancelling', true, 'cancel'],
    ['cancelled', false, 'cancel'],
  ])('depends on the run: state %s, deadline passed %s, is "%s"', (state, deadlinePassed, verdict) => {
    expect(admissionOf(state, deadlinePassed)).toBe(verdict);
  });

  it('is never "go" for an ended run', () => {
    for (const state of runStates.filter(isTerminal)) expect(admissionOf(state, false)).not.toBe('go');
  });
});
