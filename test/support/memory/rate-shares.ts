import { rateShareOf } from '../../../shared/domain/endpoint/rate-shares.ts';
import type { RateShares } from '../../../shared/ports/rate-shares.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';

export function createMemoryRateShares({ database, owner }: { database: MemoryDatabase; owner: string }): RateShares {
  const { rateShares, clock } = database;
  return {
    exchange: (asks, leaseMs) =>
      atOnce(() =>
        asks.map(({ actionType, unit, ratePerSecond, demand, using }) => {
          const key = `${actionType}/${unit}`;
          const rows = rateShares.get(key) ?? new Map<string, { demand: number; held: number; untilMs: number }>();
          rateShares.set(key, rows);
          const others = [...rows].filter(([worker, { untilMs }]) => worker !== owner && untilMs > clock.nowMs());
          const share = rateShareOf(
            ratePerSecond,
            demand,
            others.map(([, row]) => row),
          );
          rows.set(owner, { demand, held: Math.max(using, share), untilMs: clock.nowMs() + leaseMs });
          return share;
        }),
      ),
  };
}
