/** One partition of a topic as a consumer group has it. */
export interface PartitionTraffic {
  partition: number;
  /** Messages published and not committed by the group. */
  unhandled: number;
  /** Client id of the member that has it; null where no member does, or the group is about to assign anew. */
  member: string | null;
}

/** How a consumer group stands, as the brokers tell it. */
export interface GroupLook {
  /** By topic; one that is missing is left out. Null when the brokers do not tell. Never rejects. */
  look(topics: readonly string[]): Promise<ReadonlyMap<string, readonly PartitionTraffic[]> | null>;
}
