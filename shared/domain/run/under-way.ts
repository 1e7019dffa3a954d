/** What of a run is on its way at one moment. */
export interface UnderWay {
  /**
   * Claimed by a worker whose lease runs: it may be calling right now. One for each step of a country that has any, in
   * their order.
   */
  inFlight: readonly StepInFlight[];
  /** Batches on the topics that no worker has claimed. */
  ready: number;
  /** Batches that wait for their next attempt. */
  waiting: number;
}

export interface StepInFlight {
  step: number;
  country: string;
  batches: number;
  /** Of those batches; who was lost earlier in the chain counts too. */
  users: number;
}

export const nothingUnderWay: UnderWay = { inFlight: [], ready: 0, waiting: 0 };

export function batchesInFlight({ inFlight }: UnderWay): number {
  return inFlight.reduce((sum, { batches }) => sum + batches, 0);
}

export function usersInFlight({ inFlight }: UnderWay): number {
  return inFlight.reduce((sum, { users }) => sum + users, 0);
}
