import type { Clock } from '../../../shared/ports/clock.ts';
import type { RateShares } from '../../../shared/ports/rate-shares.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createLoop, type Loop } from '../../../shared/runtime/loop.ts';
import type { RatedAction } from './group-views.ts';

const everyMs = 1000;
/** Milliseconds after which a share of a rate ends if it is not renewed. Up to three renewals may fail before. */
const leaseMs = 3500;
/** Milliseconds between two turns of the loop without work. New work wakes the loop. */
const idleMs = 60_000;

export interface RateKeeperDeps {
  rateShares: RateShares;
  rated: () => Iterable<RatedAction>;
  /** Called when calls may begin that were not allowed before. */
  onRoom: () => void;
  clock: Clock;
  logger: Logger;
}

/** Loop that renews this worker's shares of rates while the worker has work for them. */
export interface RateKeeper extends Pick<Loop, 'start' | 'poke' | 'stop'> {
  /** Reports new work, which wakes the loop if it was idle. */
  onWork(): void;
}

export function createRateKeeper({ rateShares, rated, onRoom, clock, logger }: RateKeeperDeps): RateKeeper {
  let isIdle = true;

  async function turn(): Promise<number> {
    const requestedAtMs = clock.monotonicMs();
    const buckets = [...rated()].flatMap(({ actionType, rate, hasWork }) =>
      hasWork ? rate.buckets.map((bucket) => ({ actionType, bucket })) : [],
    );
    isIdle = buckets.length === 0;
    if (isIdle) return idleMs;
    const asks = buckets.map(({ actionType, bucket }) => ({
      actionType,
      unit: bucket.unit,
      ratePerSecond: bucket.ratePerSecond,
      demand: bucket.takeDemand(requestedAtMs),
      using: bucket.using(requestedAtMs),
    }));
    const shares = await rateShares.exchange(asks, leaseMs);
    const nowMs = clock.monotonicMs();
    let hasMore = false;
    for (const [index, { bucket }] of buckets.entries()) {
      const share = shares[index] ?? 0;
      if (share > bucket.using(nowMs)) hasMore = true;
      // The share's lease is counted from the request, because in the store it cannot begin earlier.
      bucket.hold(share, requestedAtMs + leaseMs, nowMs);
    }
    if (hasMore) onRoom();
    return everyMs;
  }

  const loop = createLoop({ name: 'rate-shares', turn, afterErrorMs: everyMs, clock, logger });
  return {
    start: () => loop.start(),
    poke: () => loop.poke(),
    stop: () => loop.stop(),
    onWork: () => {
      if (!isIdle) return;
      isIdle = false;
      loop.poke();
    },
  };
}
