import type { BaseParts } from '../frame/parts.ts';
import { createDeadLetterStore } from './postgres/dead-letter-store.ts';
import { createQuarantinedSteps } from './postgres/quarantined-steps.ts';

/** Stores of dead letters and quarantined steps, which can also be found by their ids. */
export function createTroubleParts({ pool }: BaseParts) {
  return {
    deadLetters: createDeadLetterStore({ pool }),
    quarantinedSteps: createQuarantinedSteps({ pool }),
  };
}

export type { DeadLetterStore } from './postgres/dead-letter-store.ts';
export type { QuarantinedSteps } from './postgres/quarantined-steps.ts';
