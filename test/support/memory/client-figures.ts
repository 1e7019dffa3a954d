import type { ClientLedgers } from '../../../services/api/clients/client-ledgers.port.ts';
import type { ClientFigures } from '../../../services/api/clients/client-figures.port.ts';
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

export function createMemoryClientLedgers({ database: { scheduled } }: { database: MemoryDatabase }): ClientLedgers {
  return {
    ledgerOf: (clientId) =>
      atOnce(() => {
        const none = { accepted: 0, called: 0, expired: 0, cancelled: 0, dead: 0 };
        const totals = scheduled.totals.get(clientId) ?? none;
        const mine = [...scheduled.jobs.values()].filter((job) => job.clientId === clientId);
        const sidelined = mine.filter(({ sideline }) => sideline !== null).length;
        const { accepted, called, expired, cancelled, dead } = totals;
        const checked = scheduled.ledgerChecks.get(clientId);
        return {
          ...totals,
          sidelined,
          pending: accepted - called - expired - cancelled - dead - sidelined,
          check: checked ? { at: new Date(checked.atMs), ...shownOf(checked) } : null,
        };
      }),
  };
}

function shownOf({ partitions, expected, counted }: { partitions: number; expected: number; counted: number }) {
  return { partitions, expected, counted };
}
