import type { HeldLease, Leases } from '../../../shared/ports/leases.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { LeaseRow } from './run-tables.ts';

export function createMemoryLeases({ database }: { database: MemoryDatabase }): Leases {
  const { leases, clock } = database;

  return {
    acquire: (name, owner, ttlMs) =>
      atOnce(() => {
        const expiresAtMs = clock.nowMs() + ttlMs;
        const row = leases.get(name);
        if (!row) {
          leases.set(name, { owner, token: 1, expiresAtMs });
          return { name, owner, token: 1 };
        }
        const running = row.owner !== null && row.expiresAtMs > clock.nowMs();
        if (running && row.owner !== owner) return null;
        if (!running) row.token += 1;
        Object.assign(row, { owner, expiresAtMs });
        return { name, owner, token: row.token };
      }),

    renew: (lease, ttlMs) =>
      atOnce(() => {
        const row = heldRow(database, lease);
        if (row) row.expiresAtMs = clock.nowMs() + ttlMs;
        return row !== undefined;
      }),

    release: (lease) =>
      atOnce(() => {
        const row = heldRow(database, lease);
        if (row) Object.assign(row, { owner: null, expiresAtMs: clock.nowMs() });
      }),
  };
}

/** The lease's row, if it is still held under that token. */
export function heldRow({ leases, clock }: MemoryDatabase, lease: HeldLease): LeaseRow | undefined {
  const row = leases.get(lease.name);
  const held = row?.owner === lease.owner && row.token === lease.token && row.expiresAtMs > clock.nowMs();
  return held ? row : undefined;
}
