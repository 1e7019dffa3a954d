import { describe, expect, it } from 'vitest';
import { mayBeReplayed, replayRefusal } from './quarantine.ts';
import { isTerminal, runStates } from './run-states.ts';

describe('a quarantined step', () => {
  it.each(['A', 'B'] as const)('can be called again in class %s while the endpoint keeps its key', (of) => {
    const terms = { class: of, keyLifeSeconds: 60 };
    expect(replayRefusal(terms, 59_999)).toBeNull();
    expect(replayRefusal(terms, 60_000)).toContain('keeps keys for 60 seconds');
  });

  it.each(['C', 'D'] as const)('is never called again in class %s, because a call may have a second effect', (of) => {
    expect(replayRefusal({ class: of, keyLifeSeconds: 60 }, 0)).toContain(`class ${of}`);
  });

  it('cannot be reopened in a run that has ended or is being cancelled', () => {
    expect(runStates.filter(mayBeReplayed)).toEqual(['running', 'pausing', 'paused']);
    expect(runStates.filter((state) => mayBeReplayed(state) && isTerminal(state))).toEqual([]);
  });
});
