import type { Gate } from './gate.ts';

/** Gate for the concurrency, rate and breaker of the endpoint: call-slots.ts lists these limits in their order. */
export const slots: Gate = { name: 'slots', claimed: () => 'slot' };
