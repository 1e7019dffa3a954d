/** Fields of a segment that the store reads. */
export interface SegmentTerms {
  id: string;
  /** Digest of all that decides who is a member: a changed segment does not share its earlier snapshots. */
  definition: string;
  /** Time after the begin of its query during which a snapshot is shared. */
  reuseMs: number;
  /** Time after its last use during which a snapshot is kept. */
  keepSeconds: number;
}

export interface Member {
  userId: string;
  country: string;
}

export type SnapshotState = 'open' | 'building' | 'ready' | 'failed';

export interface Snapshot {
  id: string;
  segment: string;
  state: SnapshotState;
  /** Number of its last builder. */
  epoch: number;
  /** Undefined unless it failed. */
  failure: SnapshotFailure | undefined;
}

export interface SnapshotFailure {
  /** Message for people. */
  cause: string;
  /** True if a person has to change something. */
  isRefused: boolean;
  /** Milliseconds until another try is due. */
  retryInMs: number;
}

/** A builder's right to fill a snapshot. Another builder gets the next epoch once the lease is over. */
export interface Claim {
  id: string;
  epoch: number;
}

/** Users of a segment by country, in its last ready snapshot. */
export type Counts = ReadonlyMap<string, number>;

/** Snapshots of segments, shared by all instances. Times are of the database's clock. */
export interface SnapshotStore {
  /** Returns the snapshot that callers share at present. Creates one if the last one is too old, or has failed. */
  current(segment: SegmentTerms): Promise<string>;
  /** Returns undefined for a snapshot that is gone, or of another segment. Counts as a use. */
  read(id: string, segment: string): Promise<Snapshot | undefined>;
  /** Returns undefined if another builder holds the lease, or nothing is to be built at present. */
  claim(id: string, leaseMs: number): Promise<Claim | undefined>;
  /** Returns false if another builder has taken over, or the snapshot is gone. */
  renew(claim: Claim, leaseMs: number): Promise<boolean>;
  /** Creates the empty table of members. */
  createMembers(claim: Claim): Promise<void>;
  addMembers(claim: Claim, members: readonly Member[]): Promise<void>;
  /** Makes the snapshot ready. Returns false, and changes nothing, if another builder has taken over. */
  finish(claim: Claim, counts: Counts): Promise<boolean>;
  /** Records why the snapshot could not be built, and drops its members. */
  fail(claim: Claim, failure: SnapshotFailure): Promise<void>;
  /** Returns up to `limit` members in byte order, after the given one; undefined if the snapshot was dropped. */
  page(snapshot: Snapshot, query: PageQuery): Promise<string[] | undefined>;
  /** Returns the counts of the last ready snapshot of each of these segments, by segment. */
  counts(segments: readonly SegmentTerms[]): Promise<Map<string, Counts>>;
  /** Drops snapshots that were not used for as long as their segment keeps them, and tables without a snapshot. */
  sweep(): Promise<{ snapshots: number; tables: number }>;
}

export interface PageQuery {
  country: string;
  /** Null for the first page. */
  after: string | null;
  limit: number;
}
