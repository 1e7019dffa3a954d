import type { Gate } from './gate.ts';

/** Concurrency, rate and breaker of the endpoint: its limits, in their order, are in call-slots.ts. */
export const slots: Gate = { name: 'slots', claimed: () => 'slot' };
