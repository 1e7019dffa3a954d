import type { Clock } from '../ports/clock.ts';
import type { HeldLease, Leases } from '../ports/leases.ts';
import type { Logger } from './logger.ts';
import { createLoop } from './loop.ts';

export interface LeaseKeeperDeps {
  leases: Pick<Leases, 'acquire' | 'renew' | 'release'>;
  name: string;
  owner: string;
  ttlMs: number;
  clock: Clock;
  logger: Logger;
  acquired: () => void;
}

/** Tries to hold one lease: renews it at a third of its time, and requests it as often while another holds it. */
export interface LeaseKeeper {
  start(): void;
  /** Returns the lease while it cannot have expired by this process's monotonic clock; otherwise null. */
  held(): HeldLease | null;
  /** Checks at once whether this process still holds the lease. */
  doubt(): void;
  /** Releases the lease. May be called before start, and twice. */
  stop(): Promise<void>;
}

export function createLeaseKeeper({ leases, name, owner, ttlMs, ...deps }: LeaseKeeperDeps): LeaseKeeper {
  const { clock, logger } = deps;
  let lease: HeldLease | null = null;
  let validUntilMs = 0;

  async function turn(): Promise<number> {
    // The time is taken before the request: the database cannot have started the lease earlier.
    const requestedAtMs = clock.monotonicMs();
    const before = lease;
    const renewed = before !== null && (await leases.renew(before, ttlMs));
    lease = renewed ? before : await leases.acquire(name, owner, ttlMs);
    validUntilMs = requestedAtMs + ttlMs;
    if (lease?.token !== before?.token) {
      logger.info({ lease: name, token: lease?.token ?? null }, lease ? 'lease acquired' : 'lease lost');
      if (lease) deps.acquired();
    }
    return ttlMs / 3;
  }

  const loop = createLoop({ name: `${name}-lease`, turn, afterErrorMs: ttlMs / 10, clock, logger });

  return {
    start: () => loop.start(),
    held: () => (clock.monotonicMs() < validUntilMs ? lease : null),
    doubt: () => loop.poke(),
    stop: async () => {
      await loop.stop();
      const last = lease;
      lease = null;
      if (!last) return;
      await leases.release(last).catch((error: unknown) => {
        logger.warn({ err: error, lease: name }, 'could not release a lease, it will expire');
      });
    },
  };
}
