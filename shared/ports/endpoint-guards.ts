import type { Shard } from '../domain/endpoint/shard.ts';

/** What a worker learns of a shard whose endpoint is down, or was a moment ago. */
export type GuardLook = Shard &
  (
    | {
        state: 'open';
        /** What its calls met, for people. */
        cause: string;
        /** Until the next probe may begin; 0 once it may. */
        retryInMs: number;
      }
    | {
        state: 'slow-start';
        /** How long ago a probe was answered. */
        sinceMs: number;
        /** How many workers have work for it, this one included, and this one's place among them, from 0. */
        workers: number;
        rank: number;
      }
  );

export interface BrokenCalls {
  shard: Shard;
  cause: string;
  /** What the endpoint asked for; null where it did not. */
  retryAfterMs: number | null;
  /** In [0, 1): spreads the probes of endpoints that went down together. */
  random: number;
}

export interface ProbeEnd extends BrokenCalls {
  answered: boolean;
}

/** The breakers of shards as all workers share them. Times are the store's. */
export interface EndpointGuards {
  /**
   * All shards that are not well; a shard that is not among them is.
   * @param working shards that are not well and for which this worker has work: who has, shares the calls of a slow
   * start
   */
  look(working: readonly Shard[]): Promise<GuardLook[]>;
  /** This worker's calls met nothing but failures. No effect where the breaker is open already. */
  open(broken: BrokenCalls): Promise<void>;
  /**
   * Whether this worker may make the next probe: one over all workers, once it is due, and again when its maker was not
   * heard of for `leaseMs`.
   */
  takeProbe(shard: Shard, leaseMs: number): Promise<boolean>;
  /** The probe's call has ended. No effect where another worker has the probe by now. */
  endProbe(end: ProbeEnd): Promise<void>;
  /**
   * Closes the breaker at once, whichever worker has the probe, because a feed of the shard is served. No effect if it
   * is closed.
   * @param how.startsSlowly false if the endpoint was never down for that feed
   */
  close(shard: Shard, how: { startsSlowly: boolean }): Promise<void>;
}

/** A breaker, for people. */
export interface GuardRow extends Shard {
  state: 'open' | 'slow-start' | 'closed';
  cause: string;
  openedAt: Date;
  /** When the next probe may begin; null unless it is open. */
  retryAt: Date | null;
  /** When it closed; null while it is open. */
  closedAt: Date | null;
}

export interface GuardReader {
  /** Every breaker that was ever open, by action type and country. */
  list(): Promise<GuardRow[]>;
}
