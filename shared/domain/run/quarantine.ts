import { classAtAge, type ContractClass } from '../step/consequences.ts';
import type { RunState } from './run-states.ts';

/**
 * Whether a quarantined step of a run may be opened again: its work has to be able to start, now or when the run is
 * resumed.
 */
export function mayBeReplayed(state: RunState): boolean {
  return state === 'running' || state === 'pausing' || state === 'paused';
}

export interface KeyTerms {
  class: ContractClass;
  keyLifeSeconds: number;
}

/**
 * Why a step whose key is open must not be called again; null where it may. Only classes A and B give a repeat of the
 * key what it did at first, and only as long as they remember it.
 */
export function replayRefusal({ class: of, keyLifeSeconds }: KeyTerms, keyAgeMs: number): string | null {
  const known = classAtAge(of, keyLifeSeconds, keyAgeMs);
  if (known === 'A' || known === 'B') return null;
  return of === known
    ? `its endpoint is of class ${of}: a repeat would be a second effect`
    : `its endpoint keeps keys for ${keyLifeSeconds} seconds, and this one may be older: a repeat could be a second effect`;
}
