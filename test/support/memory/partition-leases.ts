import { renewedBelow, type PartitionLeases } from '../../../services/scheduler/ports/partition-leases.ts';
import { atOnce } from './at-once.ts';
import type { CallbackTables } from './callback-tables.ts';
import type { LeaseRow } from './run-tables.ts';

export interface MemoryPartitionLeasesDeps {
  tables: CallbackTables;
  /** Lease of the leader. */
  leases: Map<string, LeaseRow>;
  leader: string;
}

export function createMemoryPartitionLeases({ tables, leases, leader }: MemoryPartitionLeasesDeps): PartitionLeases {
  const { partitions, nodes, regions, clock } = tables;
  const takesPart = (region: string) => regions.get(region)?.active ?? false;
  const isAlive = (owner: string | null) => owner !== null && (nodes.get(owner)?.expiresAtMs ?? 0) > clock.nowMs();
  const schedulers = () =>
    [...nodes]
      .flatMap(([owner, { kind, region }]) =>
        kind === 'scheduler' && isAlive(owner) && takesPart(region) ? [owner] : [],
      )
      .sort();
  const hasLeader = () => {
    const lease = leases.get(leader);
    return lease !== undefined && lease.owner !== null && lease.expiresAtMs > clock.nowMs();
  };

  return {
    beat: ({ owner, kind, region, ttlMs, figures }, released) =>
      atOnce(() => {
        const nowMs = clock.nowMs();
        const hadLeader = hasLeader();
        nodes.set(owner, { kind, region, aliveSinceMs: nowMs, expiresAtMs: nowMs + ttlMs, figures, credit: null });
        return partitions.flatMap((row, partition) => {
          if (released.includes(partition)) {
            if (row.owner === owner) Object.assign(row, { owner: null, expiresAtMs: nowMs });
            return [];
          }
          const isFree = row.owner === null || row.expiresAtMs <= nowMs;
          const isMine = !isFree && row.owner === owner;
          const isOrphan =
            takesPart(region) && !hadLeader && row.expiresAtMs <= nowMs - 2 * ttlMs && !isAlive(row.wanted);
          if (!isMine && !(isFree && (row.wanted === owner || isOrphan))) return [];
          if (!isMine) row.token++;
          if (!isMine || row.expiresAtMs <= nowMs + renewedBelow * ttlMs) {
            Object.assign(row, { owner, expiresAtMs: nowMs + ttlMs });
          }
          return [{ partition, token: row.token, isWanted: row.wanted === null || row.wanted === owner }];
        });
      }),
    leave: (owner) =>
      atOnce(() => {
        nodes.delete(owner);
        const others = schedulers();
        for (const [partition, row] of partitions.entries()) {
          if (row.owner !== owner) continue;
          const wanted = others[partition % Math.max(1, others.length)] ?? row.wanted;
          Object.assign(row, { owner: null, expiresAtMs: clock.nowMs(), wanted });
        }
      }),
    assignment: () =>
      atOnce(() => ({
        schedulers: schedulers(),
        partitions: partitions.map(({ wanted, owner, expiresAtMs }) => ({
          wanted,
          owner: expiresAtMs > clock.nowMs() ? owner : null,
        })),
      })),
    assign: ({ name, owner, token }, wanted) =>
      atOnce(() => {
        const lease = leases.get(name);
        if (lease?.owner !== owner || lease.token !== token || lease.expiresAtMs <= clock.nowMs()) return;
        for (const [partition, node] of wanted) Object.assign(partitions[partition] ?? {}, { wanted: node });
      }),
  };
}
