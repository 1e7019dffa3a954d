import type { Shard } from '../domain/endpoint/shard.ts';

/** State, as a worker reads it, of a shard whose endpoint is down or has recovered recently. */
export type GuardState = Shard &
  (
    | {
        state: 'open';
        cause: string;
        /** Milliseconds until the next probe may begin; 0 if it may begin now. */
        retryInMs: number;
      }
    | {
        state: 'slow-start';
        /** Milliseconds since a probe was answered. */
        sinceMs: number;
        /** Workers that have work for the shard, this worker included. `rank` counts this worker among them from 0. */
        workers: number;
        rank: number;
      }
  );

export interface BrokenCalls {
  shard: Shard;
  cause: string;
  /** Delay that the endpoint requested; null if it requested none. */
  retryAfterMs: number | null;
  /** Number in [0, 1) that spreads the probes of endpoints that went down together. */
  random: number;
}

export interface ProbeEnd extends BrokenCalls {
  answered: boolean;
}

/** Circuit breakers of shards, shared by all workers. Times come from the store's clock. */
export interface EndpointGuards {
  /**
   * Returns all shards that are not healthy. All other shards are healthy.
   * @param working unhealthy shards for which this worker has work: the workers that list a shard share the calls of
   * its slow start
   */
  read(working: readonly Shard[]): Promise<GuardState[]>;
  /** Opens the breaker because calls of this worker met only failures. No effect if the breaker is open already. */
  open(broken: BrokenCalls): Promise<void>;
  /**
   * Returns whether this worker may make the next probe. One worker at a time gets a probe that is due. The probe is
   * free again if its worker has not reported for `leaseMs`.
   */
  takeProbe(shard: Shard, leaseMs: number): Promise<boolean>;
  /** Records the end of the probe's call. No effect if another worker has the probe by now. */
  endProbe(end: ProbeEnd): Promise<void>;
  /**
   * Closes the breaker at once, whichever worker has the probe, because the endpoint serves a feed of the shard. No
   * effect if the breaker is closed.
   * @param how.startsSlowly false if the endpoint was never down for that feed
   */
  close(shard: Shard, how: { startsSlowly: boolean }): Promise<void>;
}

export interface GuardRow extends Shard {
  state: 'open' | 'slow-start' | 'closed';
  cause: string;
  openedAt: Date;
  /** Time when the next probe may begin; null unless the breaker is open. */
  retryAt: Date | null;
  /** Time when the breaker closed; null while it is open. */
  closedAt: Date | null;
}

export interface GuardReader {
  /** Returns every breaker that was ever open, by action type and country. */
  list(): Promise<GuardRow[]>;
}
