export interface PaceTerms {
  /** Number of calls that are requested together. */
  calls: number;
  /** Calls per second. Undefined: only pauses limit the calls. */
  perSecond: number | undefined;
  maxWaitMs: number;
}

/**
 * Answer to a request for calls. `waitMs` is the time until the first of the calls is due. `isGranted` is false if that
 * time exceeds the request's `maxWaitMs`.
 */
export interface PaceAnswer {
  isGranted: boolean;
  waitMs: number;
}

/** Limits calls per second by name, over all instances. */
export interface Pace {
  take(name: string, terms: PaceTerms): Promise<PaceAnswer>;
  /** Grants no calls of this name for `forMs` milliseconds. Calls granted before are not affected. */
  pause(name: string, forMs: number): Promise<void>;
}
