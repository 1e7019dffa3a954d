import type { BaseParts } from '../frame/parts.ts';
import { createQuarantinedMessages } from './postgres/message-store.ts';
import { createQuarantinedSteps } from './postgres/step-store.ts';

/** Creates the stores of quarantined messages and steps. The store of quarantined jobs is in the folder `jobs`. */
export function createQuarantineParts({ pool }: BaseParts) {
  return {
    quarantinedMessages: createQuarantinedMessages({ pool }),
    quarantinedSteps: createQuarantinedSteps({ pool }),
  };
}

export type { QuarantinedMessages } from './postgres/message-store.ts';
export type { QuarantinedSteps } from './postgres/step-store.ts';
