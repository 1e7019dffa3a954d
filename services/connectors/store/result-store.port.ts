/** The step of a run in which an action is called. Scope and user together identify an effect. */
export interface ResultScope {
  action: string;
  run: string;
  step: number;
}

/** Final result of a call, which does not change. */
export type FinalResult = { state: 'succeeded' } | { state: 'failed'; code: string };

/**
 * `begun`: a call for the user is in progress. `unknown`: a call ended without an answer, or its process was killed, so
 * the call may have been applied.
 */
export type StoredResult = FinalResult | { state: 'begun' } | { state: 'unknown' };

export interface ClaimTerms {
  /**
   * Milliseconds after which a call without a result counts as lost. Must exceed the time for the call and for storing
   * its results.
   */
  leaseMs: number;
  keepSeconds: number;
  /** True if a call with an unknown outcome may be repeated, because its receiver recognizes repeats. */
  isRepeatable: boolean;
}

/** Permission to call these users and to store their results. No other call has a claim on the same users. */
export interface ResultClaim extends ResultScope {
  id: string;
  /** Users that may be called. The value is true if an earlier call for the user may have been applied. */
  users: ReadonlyMap<string, boolean>;
}

/** Results of calls by user, shared by all instances. All times use the database's clock. */
export interface ResultStore {
  /** Returns the results of the users that have been called. */
  read(scope: ResultScope, users: readonly string[]): Promise<Map<string, StoredResult>>;
  /** Claims the users that have no result and no call in progress. */
  claim(scope: ResultScope, users: readonly string[], terms: ClaimTerms): Promise<ResultClaim>;
  /**
   * Stores results. Results that arrive after the lease has expired are stored too, unless another call has claimed the
   * user.
   */
  finish(claim: ResultClaim, results: ReadonlyMap<string, FinalResult | { state: 'unknown' }>): Promise<void>;
  /** Ends the claim on users to whom the call was not applied. They can be claimed again at once. */
  release(claim: ResultClaim, users: readonly string[]): Promise<void>;
  /** Deletes results whose retention has ended. Returns their number. */
  sweep(): Promise<number>;
}
