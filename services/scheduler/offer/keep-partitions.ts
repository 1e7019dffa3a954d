import type { Clock } from '../../../shared/ports/clock.ts';
import type { HeldLease } from '../../../shared/ports/leases.ts';
import type { ChangeFeed } from '../../../shared/ports/change-feed.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createLoop } from '../../../shared/runtime/loop.ts';
import { assignPartitions } from './assign-partitions.ts';
import { renewedBelow, type PartitionLeases } from '../ports/partition-leases.ts';

/**
 * Maximum time in milliseconds between two heartbeats, which renew leases. Other schedulers take over released
 * partitions within this time.
 */
const beatEveryMs = 1000;
/**
 * Interval in milliseconds at which the leader reads the live nodes. A leader that is the only node reads them less
 * often, because a new node sends a notification.
 */
const assignEveryMs = 1000;
const aloneAssignEveryMs = 5000;

export interface PartitionKeeperDeps {
  leases: PartitionLeases;
  owner: string;
  region: string;
  /** Duration of leases in milliseconds. Each lease is renewed when at most two thirds of the duration are left. */
  ttlMs: number;
  /** Returns the leader's lease while this process certainly holds it; otherwise null. */
  leads: () => HeldLease | null;
  figures: () => Readonly<Record<string, number>>;
  onChanged: () => void;
  changes: ChangeFeed;
  clock: Clock;
  logger: Logger;
}

/** Holds the leases of the partitions that the leader assigns to this scheduler. */
export interface PartitionKeeper {
  start(): void;
  /** Returns the partitions that no other scheduler can own yet, by this process's monotonic clock. */
  owned(): readonly number[];
  /** Releases all partitions. May be called before `start`, and more than once. */
  stop(): Promise<void>;
}

export function createPartitionKeeper(deps: PartitionKeeperDeps): PartitionKeeper {
  const { leases, owner, region, ttlMs, changes, clock, logger } = deps;
  let held: readonly number[] = [];
  let validUntilMs = -Infinity;
  /**
   * Partitions that the leader has assigned to other schedulers. This process reads them no longer, and releases them
   * with its next heartbeat.
   */
  let leaving: readonly number[] = [];

  async function beat(): Promise<number> {
    // The lease is counted from before the query, because in the database it cannot begin earlier.
    const requestedAtMs = clock.monotonicMs();
    const owned = await leases.beat({ owner, kind: 'scheduler', region, ttlMs, figures: deps.figures() }, leaving);
    const next = owned.filter(({ isWanted }) => isWanted).map(({ partition }) => partition);
    leaving = owned.filter(({ isWanted }) => !isWanted).map(({ partition }) => partition);
    next.sort((a, b) => a - b);
    validUntilMs = requestedAtMs + renewedBelow * ttlMs;
    if (next.length !== held.length || next.some((partition, index) => partition !== held[index])) {
      logger.info(
        { partitions: next.length, before: held.length, givenBack: leaving.length },
        'partitions changed hands',
      );
      held = next;
      deps.onChanged();
    }
    return leaving.length > 0 ? 0 : Math.min(ttlMs / 3, beatEveryMs);
  }

  async function lead(): Promise<number> {
    const lease = deps.leads();
    if (!lease) return assignEveryMs;
    const { schedulers, partitions } = await leases.assignment();
    const current = partitions.map((row) => row.owner ?? row.wanted);
    const target = assignPartitions(schedulers, current);
    const changed = target.flatMap((node, partition): [number, string][] =>
      node === null || node === partitions[partition]?.wanted ? [] : [[partition, node]],
    );
    await leases.assign(lease, new Map(changed));
    // A leader that is alone always reads its own live row, so only a new node can change the assignment.
    return schedulers.length === 1 && changes.isConnected() ? aloneAssignEveryMs : assignEveryMs;
  }

  const beats = createLoop({ name: 'own-partitions', turn: beat, afterErrorMs: ttlMs / 10, clock, logger });
  const assignments = createLoop({ name: 'assign-partitions', turn: lead, afterErrorMs: assignEveryMs, clock, logger });
  for (const kind of ['nodes', 'regions'] as const) changes.on(kind, () => assignments.poke());

  return {
    start: () => {
      beats.start();
      assignments.start();
    },
    owned: () => (clock.monotonicMs() < validUntilMs ? held : []),
    stop: async () => {
      await Promise.all([beats.stop(), assignments.stop()]);
      held = [];
      await leases.leave(owner).catch((error: unknown) => {
        logger.warn({ err: error }, 'could not give partitions back, their leases will run out');
      });
    },
  };
}
