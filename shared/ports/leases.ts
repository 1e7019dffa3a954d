/**
 * A lease on a named resource, by the database's clock. The token only grows: writes with an older token are refused.
 */
export interface HeldLease {
  name: string;
  owner: string;
  token: number;
}

/** Interchangeable leases of which an owner needs some number. */
export interface WantedLeases {
  /** Names in the order of preference. No name is in two `WantedLeases` of one call. */
  names: readonly string[];
  count: number;
}

export interface Leases {
  /**
   * Returns the lease if it is free, has expired, or `owner` already holds it (then renewed, same token). Returns null
   * if another owner holds it. A renewal never shortens a lease.
   */
  acquire(name: string, owner: string, ttlMs: number): Promise<HeldLease | null>;
  /**
   * Acquires many leases in one statement and returns those that `owner` holds now. The statement skips leases of other
   * owners without waiting for them, so it may return fewer than are free.
   */
  acquireSome(wanted: readonly WantedLeases[], owner: string, ttlMs: number): Promise<HeldLease[]>;
  /** Returns false if the lease was lost. */
  renew(lease: HeldLease, ttlMs: number): Promise<boolean>;
  release(lease: HeldLease): Promise<void>;
  /** Releases the leases that are still held, in one statement. */
  releaseAll(leases: readonly HeldLease[]): Promise<void>;
}
