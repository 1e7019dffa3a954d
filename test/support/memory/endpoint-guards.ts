import { probeDelayMs, slowStartMs } from '../../../shared/domain/endpoint/endpoint-guards.ts';
import type { EndpointGuards, GuardState, GuardReader } from '../../../shared/ports/endpoint-guards.ts';
import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';

const watcherLastsMs = 5000;

export function createMemoryEndpointGuards({
  database,
  owner,
}: {
  database: MemoryDatabase;
  owner: string;
}): EndpointGuards {
  const { guards, watchers, clock } = database;
  const keyOf = ({ actionType, country }: Shard) => `${actionType}/${country}`;
  const isStarting = (slowStartAtMs: number | null) =>
    slowStartAtMs !== null && slowStartAtMs > clock.nowMs() - slowStartMs;

  function othersOf(shard: Shard): string[] {
    const seen = watchers.get(keyOf(shard)) ?? new Map<string, number>();
    return [...seen].flatMap(([worker, atMs]) =>
      worker !== owner && atMs > clock.nowMs() - watcherLastsMs ? [worker] : [],
    );
  }

  return {
    read: (working) =>
      atOnce(() => {
        for (const shard of working) {
          const seen = watchers.get(keyOf(shard)) ?? new Map<string, number>();
          watchers.set(keyOf(shard), seen.set(owner, clock.nowMs()));
        }
        return [...guards.values()].flatMap(({ shard, state, cause, retryAtMs, slowStartAtMs }): GuardState[] => {
          if (state === 'open') return [{ ...shard, state, cause, retryInMs: Math.max(0, retryAtMs - clock.nowMs()) }];
          if (!isStarting(slowStartAtMs)) return [];
          const others = othersOf(shard);
          const rank = others.filter((other) => other < owner).length;
          const sinceMs = clock.nowMs() - (slowStartAtMs ?? 0);
          return [{ ...shard, state: 'slow-start', sinceMs, workers: 1 + others.length, rank }];
        });
      }),
    open: ({ shard, cause, retryAfterMs, random }) =>
      atOnce(() => {
        const row = guards.get(keyOf(shard));
        if (row?.state === 'open') return;
        const openings = row && isStarting(row.slowStartAtMs) ? row.openings + 1 : 1;
        const openedAtMs = clock.nowMs();
        guards.set(keyOf(shard), {
          shard,
          state: 'open',
          cause,
          openings,
          openedAtMs,
          probeOwner: null,
          probeUntilMs: 0,
          retryAtMs: openedAtMs + probeDelayMs(openings, retryAfterMs, random),
          slowStartAtMs: row?.slowStartAtMs ?? null,
        });
      }),
    takeProbe: (shard, leaseMs) =>
      atOnce(() => {
        const row = guards.get(keyOf(shard));
        const nowMs = clock.nowMs();
        if (row?.state !== 'open' || row.retryAtMs > nowMs || row.probeUntilMs > nowMs) return false;
        row.probeOwner = owner;
        row.probeUntilMs = nowMs + leaseMs;
        return true;
      }),
    endProbe: ({ shard, answered, cause, retryAfterMs, random }) =>
      atOnce(() => {
        const row = guards.get(keyOf(shard));
        if (row?.state !== 'open' || row.probeOwner !== owner) return;
        row.probeOwner = null;
        row.probeUntilMs = 0;
        if (answered) {
          row.state = 'closed';
          row.slowStartAtMs = clock.nowMs();
          return;
        }
        row.openings++;
        row.cause = cause;
        row.retryAtMs = clock.nowMs() + probeDelayMs(row.openings, retryAfterMs, random);
      }),
    close: (shard, { startsSlowly }) =>
      atOnce(() => {
        const row = guards.get(keyOf(shard));
        if (row?.state !== 'open') return;
        row.state = 'closed';
        row.slowStartAtMs = clock.nowMs() - (startsSlowly ? 0 : slowStartMs);
        row.probeOwner = null;
        row.probeUntilMs = 0;
      }),
  };
}

export function createMemoryGuardReader({ database }: { database: MemoryDatabase }): GuardReader {
  return {
    list: () =>
      atOnce(() => {
        const nowMs = database.clock.nowMs();
        const rows = [...database.guards.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1));
        return rows.map(([, { shard, state, cause, openedAtMs, retryAtMs, slowStartAtMs }]) => ({
          ...shard,
          state: state === 'closed' && (slowStartAtMs ?? 0) > nowMs - slowStartMs ? 'slow-start' : state,
          cause,
          openedAt: new Date(openedAtMs),
          retryAt: state === 'open' ? new Date(retryAtMs) : null,
          closedAt: state === 'closed' && slowStartAtMs !== null ? new Date(slowStartAtMs) : null,
        }));
      }),
  };
}
