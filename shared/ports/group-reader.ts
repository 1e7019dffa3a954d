export interface PartitionTraffic {
  partition: number;
  /** Messages that are published and that the group has not committed. */
  unhandled: number;
  /** Client id of the member that owns the partition. Null if no member does, or if the group is about to rebalance. */
  member: string | null;
}

export interface GroupReader {
  /** Returns partitions by topic, without missing topics; null if the brokers do not answer. Never rejects. */
  read(topics: readonly string[]): Promise<ReadonlyMap<string, readonly PartitionTraffic[]> | null>;
}
