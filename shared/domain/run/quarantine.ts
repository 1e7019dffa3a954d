import { classAtAge, type ContractClass } from '../step/consequences.ts';
import type { RunState } from './run-states.ts';

/** Returns whether a quarantined step may be reopened: its work must be able to start, now or once the run resumes. */
export function mayBeReplayed(state: RunState): boolean {
  return state === 'running' || state === 'pausing' || state === 'paused';
}

export interface KeyTerms {
  class: ContractClass;
  keyLifeSeconds: number;
}

/**
 * Returns the reason why a step with an open key must not be called again; null if it may. Only classes A and B answer
 * a repeated key with the first result, and only while they remember the key.
 */
export function replayRefusal({ class: of, keyLifeSeconds }: KeyTerms, keyAgeMs: number): string | null {
  const known = classAtAge(of, keyLifeSeconds, keyAgeMs);
  if (known === 'A' || known === 'B') return null;
  return of === known
    ? `its endpoint is of class ${of}: a repeat would be a second effect`
    : `its endpoint keeps keys for ${keyLifeSeconds} seconds, and this one may be older: a repeat could be a second effect`;
}
