/** Beat of a live scheduler or dispatcher, with its figures. */
export interface NodeBeat {
  owner: string;
  kind: 'scheduler' | 'dispatcher';
  region: string;
  /** Milliseconds for which it counts as alive, and keeps its partitions, without another beat. */
  ttlMs: number;
  figures: Readonly<Record<string, number>>;
}

export interface OwnedPartition {
  partition: number;
  /** Increases with every owner. */
  token: number;
  /** False if the leader assigns the partition to another scheduler. */
  isWanted: boolean;
}

export interface Assignment {
  /** Owners of live schedulers whose region takes part. */
  schedulers: string[];
  /** Indexed by partition, from 0. */
  partitions: { wanted: string | null; owner: string | null }[];
}

/** A beat renews leases with at most this part left. Each lease therefore has at least this part left after a beat. */
export const renewedBelow = 2 / 3;

/** Assignment of partitions. The leases only save work: if two schedulers offer a job, one claim wins. */
export interface PartitionLeases {
  /**
   * Reports that this scheduler is alive. Releases partitions, renews those with less than `renewedBelow` of the lease
   * left, and takes free ones assigned to it: any free one if there has been no leader for two leases.
   */
  beat(beat: NodeBeat, released: readonly number[]): Promise<OwnedPartition[]>;
  /** Removes a scheduler. Live schedulers take its partitions with their next beats. */
  leave(owner: string): Promise<void>;
  assignment(): Promise<Assignment>;
  /** Stores the assignment. Has no effect if the leader's lease is lost. */
  assign(leader: { name: string; owner: string; token: number }, wanted: ReadonlyMap<number, string>): Promise<void>;
}
