/**
 * Who owns a thing until when, by the database's clock. The token only grows: what is written under an older one is
 * refused.
 */
export interface HeldLease {
  name: string;
  owner: string;
  token: number;
}

/** Leases of one kind of which an owner needs some, whichever they are. */
export interface WantedLeases {
  /** In the order of preference. No name is in two of these. */
  names: readonly string[];
  /** Leases at most. */
  count: number;
}

export interface Leases {
  /**
   * The lease, if it is free, expired, or already held by `owner` (then renewed, same token). Null when another holds
   * it. A renewal never ends a lease earlier than the renewals before it.
   */
  acquire(name: string, owner: string, ttlMs: number): Promise<HeldLease | null>;
  /**
   * The same for many leases in one statement: returns those that `owner` holds now. What another holds is passed over
   * and not waited for, so that fewer may come than are free.
   */
  acquireSome(wanted: readonly WantedLeases[], owner: string, ttlMs: number): Promise<HeldLease[]>;
  /** False when it was lost. */
  renew(lease: HeldLease, ttlMs: number): Promise<boolean>;
  release(lease: HeldLease): Promise<void>;
  /** Releases those of these leases that are still held, in one statement. */
  releaseAll(leases: readonly HeldLease[]): Promise<void>;
}
