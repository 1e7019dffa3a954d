/** Fields of a segment that the snapshot store needs. */
export interface SegmentTerms {
  id: string;
  /** Digest of all settings that decide who is a member. A changed segment does not reuse earlier snapshots. */
  definition: string;
  /** Milliseconds after the start of its query during which requests share a snapshot. */
  reuseMs: number;
  /** Seconds after its last use during which a snapshot is kept. */
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
  /** Epoch of the last builder. */
  epoch: number;
  /** Reason of the failure; undefined unless the state is `failed`. */
  failure: SnapshotFailure | undefined;
}

export interface SnapshotFailure {
  /** Cause as text for people. */
  cause: string;
  /** True if a person has to change something before another try can succeed. */
  isRefused: boolean;
  /** Milliseconds until another try is due. */
  retryInMs: number;
}

/** A builder's permission to fill a snapshot. When the lease has expired, another builder can claim the next epoch. */
export interface Claim {
  id: string;
  epoch: number;
}

/** Number of users of a segment by country, in its last ready snapshot. */
export type Counts = ReadonlyMap<string, number>;

/** Snapshots of segments, shared by all instances. All times use the database's clock. */
export interface SnapshotStore {
  /**
   * Returns the id of the snapshot that requests currently share. Creates one if the last snapshot is too old or has
   * failed.
   */
  current(segment: SegmentTerms): Promise<string>;
  /** Returns the snapshot; undefined if it was deleted or belongs to another segment. Reading counts as a use. */
  read(id: string, segment: string): Promise<Snapshot | undefined>;
  /** Claims a snapshot for building. Returns undefined if another builder holds the lease, or if no building is due. */
  claim(id: string, leaseMs: number): Promise<Claim | undefined>;
  /** Renews the lease. Returns false if another builder has taken over, or if the snapshot was deleted. */
  renew(claim: Claim, leaseMs: number): Promise<boolean>;
  /** Creates the empty table of members. */
  createMembers(claim: Claim): Promise<void>;
  addMembers(claim: Claim, members: readonly Member[]): Promise<void>;
  /** Makes the snapshot ready. Returns false, and changes nothing, if another builder has taken over. */
  finish(claim: Claim, counts: Counts): Promise<boolean>;
  /** Records why the snapshot could not be built, and drops its members. */
  fail(claim: Claim, failure: SnapshotFailure): Promise<void>;
  /**
   * Returns up to `limit` members in byte order, after the member `query.after`; undefined if the snapshot was dropped.
   */
  page(snapshot: Snapshot, query: PageQuery): Promise<string[] | undefined>;
  /** Returns the counts of the last ready snapshot of each of these segments, by segment. */
  counts(segments: readonly SegmentTerms[]): Promise<Map<string, Counts>>;
  /** Drops snapshots that have not been used for the time that their segment sets, and tables without a snapshot. */
  sweep(): Promise<{ snapshots: number; tables: number }>;
}

export interface PageQuery {
  country: string;
  /** Last member of the page before; null for the first page. */
  after: string | null;
  limit: number;
}
