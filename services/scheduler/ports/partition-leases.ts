/** Heartbeat of a scheduler or dispatcher, with its figures. */
export interface NodeBeat {
  owner: string;
  kind: 'scheduler' | 'dispatcher';
  region: string;
  /** Milliseconds after this heartbeat during which the node counts as alive and keeps its partitions. */
  ttlMs: number;
  figures: Readonly<Record<string, number>>;
}

export interface OwnedPartition {
  partition: number;
  /** Fencing token, which increases with every new owner of the partition. */
  token: number;
  /** False if the leader has assigned the partition to another scheduler. */
  isWanted: boolean;
}

export interface Assignment {
  /** Names of live schedulers whose region is switched on. */
  schedulers: string[];
  /**
   * For each partition, in the order of their numbers from 0: the node to which the leader assigned it, and its present
   * owner.
   */
  partitions: { wanted: string | null; owner: string | null }[];
}

/**
 * A heartbeat renews a lease if at most this fraction of its duration is left. After each heartbeat, every lease
 * therefore has at least this fraction left.
 */
export const renewedBelow = 2 / 3;

/**
 * Assignment of partitions to schedulers. The assignment only saves work; correctness does not depend on it. If two
 * schedulers offer the same job, only one claim succeeds.
 */
export interface PartitionLeases {
  /**
   * Reports that this scheduler is alive. Releases the given partitions, and renews leases with at most `renewedBelow`
   * of their duration left. Takes free partitions that are assigned to this scheduler. If there has been no leader for
   * the time of two leases, takes any free partitions.
   */
  beat(beat: NodeBeat, released: readonly number[]): Promise<OwnedPartition[]>;
  /** Removes a scheduler. Live schedulers take its partitions with their next heartbeats. */
  leave(owner: string): Promise<void>;
  assignment(): Promise<Assignment>;
  /** Stores the assignment. Has no effect if the leader has lost its lease. */
  assign(leader: { name: string; owner: string; token: number }, wanted: ReadonlyMap<number, string>): Promise<void>;
}
