import type { Gate } from './gate.ts';

/**
 * Gate for the concurrency, the rate and the breaker of the endpoint. The comment in call-slots.ts lists these limits
 * in their order.
 */
export const slots: Gate = { name: 'slots', claimed: () => 'slot' };
