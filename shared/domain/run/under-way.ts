export interface UnderWay {
  /**
   * Batches claimed by a worker whose lease is valid: the worker may be calling right now. One entry for each step of a
   * country with such batches, in their order.
   */
  inFlight: readonly StepInFlight[];
  ready: number;
  waiting: number;
}

export interface StepInFlight {
  step: number;
  country: string;
  batches: number;
  /** Users of the claimed batches, including users lost earlier in the chain. */
  users: number;
}

export const nothingUnderWay: UnderWay = { inFlight: [], ready: 0, waiting: 0 };

export function batchesInFlight({ inFlight }: UnderWay): number {
  return inFlight.reduce((sum, { batches }) => sum + batches, 0);
}

export function usersInFlight({ inFlight }: UnderWay): number {
  return inFlight.reduce((sum, { users }) => sum + users, 0);
}
