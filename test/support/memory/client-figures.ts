import type { ClientFigures } from '../../../services/api/ports/client-figures.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';

const minuteMs = 60_000;

export function createMemoryClientFigures({ database }: { database: MemoryDatabase }): ClientFigures {
  const { scheduled, clock } = database;
  return {
    counts: (clientIds) =>
      atOnce(() => {
        const counted = clientIds.flatMap((clientId) => {
          const row = scheduled.totals.get(clientId);
          if (!row) return [];
          const { accepted, called, expired, cancelled, dead } = row;
          return [[clientId, { accepted, stored: accepted - called - expired - cancelled - dead }] as const];
        });
        return new Map(counted);
      }),

    forecast: (clientId, hours) =>
      atOnce(() => {
        const calls = new Map<number, number>();
        for (const job of scheduled.jobs.values()) {
          if (job.clientId !== clientId || job.dueAtMs >= clock.nowMs() + hours * 60 * minuteMs) continue;
          const atMs = job.dueAtMs - (job.dueAtMs % minuteMs);
          calls.set(atMs, (calls.get(atMs) ?? 0) + 1);
        }
        const minutes = [...calls].sort(([a], [b]) => a - b).map(([atMs, count]) => ({ atMs, calls: count }));
        return { partitions: 64, minutes };
      }),
  };
}
