import type { HeldLease, Leases } from '../../../shared/ports/leases.ts';
import { atOnce } from './at-once.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { LeaseRow } from './run-tables.ts';

export function createMemoryLeases({ database }: { database: MemoryDatabase }): Leases {
  const { leases, clock } = database;

  function acquire(name: string, owner: string, ttlMs: number): HeldLease | null {
    const expiresAtMs = clock.nowMs() + ttlMs;
    const row = leases.get(name);
    if (!row) {
      leases.set(name, { owner, token: 1, expiresAtMs });
      return { name, owner, token: 1 };
    }
    const running = row.owner !== null && row.expiresAtMs > clock.nowMs();
    if (running && row.owner !== owner) return null;
    if (!running) row.token += 1;
    Object.assign(row, { owner, expiresAtMs: running ? Math.max(row.expiresAtMs, expiresAtMs) : expiresAtMs });
    return { name, owner, token: row.token };
  }

  function release(lease: HeldLease): void {
    const row = heldRow(database, lease);
    if (row) Object.assign(row, { owner: null, expiresAtMs: clock.nowMs() });
  }

  return {
    acquire: (name, owner, ttlMs) => atOnce(() => acquire(name, owner, ttlMs)),

    acquireSome: (wanted, owner, ttlMs) =>
      atOnce(() =>
        wanted.flatMap(({ names, count }) => {
          const held: HeldLease[] = [];
          for (const name of names) {
            const lease = held.length < count ? acquire(name, owner, ttlMs) : null;
            if (lease) held.push(lease);
          }
          return held;
        }),
      ),

    renew: (lease, ttlMs) =>
      atOnce(() => {
        const row = heldRow(database, lease);
        if (row) row.expiresAtMs = Math.max(row.expiresAtMs, clock.nowMs() + ttlMs);
        return row !== undefined;
      }),

    release: (lease) => atOnce(() => release(lease)),

    releaseAll: (held) => atOnce(() => held.forEach(release)),
  };
}

/** Returns the row of the lease, if it is still held under this token. */
export function heldRow({ leases, clock }: MemoryDatabase, lease: HeldLease): LeaseRow | undefined {
  const row = leases.get(lease.name);
  const held = row?.owner === lease.owner && row.token === lease.token && row.expiresAtMs > clock.nowMs();
  return held ? row : undefined;
}
