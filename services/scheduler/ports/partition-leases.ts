/** A scheduler or dispatcher that is alive, and figures of it. */
export interface NodeBeat {
  owner: string;
  kind: 'scheduler' | 'dispatcher';
  region: string;
  /** How long it counts as alive, and its partitions as its own, without another beat. */
  ttlMs: number;
  figures: Readonly<Record<string, number>>;
}

export interface OwnedPartition {
  partition: number;
  /** Grows with every owner. */
  token: number;
  /** False: the leader wants another to have it. */
  isWanted: boolean;
}

export interface Assignment {
  /** Owners of live schedulers whose region takes part. */
  schedulers: string[];
  /** By partition, from 0. */
  partitions: { wanted: string | null; owner: string | null }[];
}

/** A beat renews what has no more than this part of its lease left: so much of it is certain after each beat. */
export const renewedBelow = 2 / 3;

/** Who looks at which partition. Leases spare work and guard nothing: two who look offer twice, and one claim wins. */
export interface PartitionLeases {
  /**
   * Tells that this scheduler is alive, gives back the partitions that it stops looking at, renews those of which less
   * than `renewedBelow` of the lease is left, and takes those that are free and meant for it; where there is no leader
   * and has been none for two leases, whatever is free.
   */
  beat(beat: NodeBeat, released: readonly number[]): Promise<OwnedPartition[]>;
  /**
   * It is gone, and all that it owned is free, and meant for the others that live: they take it with their next beat.
   */
  leave(owner: string): Promise<void>;
  assignment(): Promise<Assignment>;
  /** Says who is to look at what. Nothing is written when the lease is not held any more. */
  assign(leader: { name: string; owner: string; token: number }, wanted: ReadonlyMap<number, string>): Promise<void>;
}
