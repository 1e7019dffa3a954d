import type { ApiCall } from './api-call.contract.ts';

/** An API as its public documentation describes it. */
export interface Preset {
  /** URLs of the provider's documentation for limits, codes and rules. */
  sources: readonly string[];
  call: ApiCall;
}
