/**
 * Who owns a thing until when, by the database's clock. The token only grows: what is written under an older one is
 * refused.
 */
export interface HeldLease {
  name: string;
  owner: string;
  token: number;
}

export interface Leases {
  /**
   * The lease, if it is free, expired, or already held by `owner` (then renewed, same token). Null when another holds
   * it.
   */
  acquire(name: string, owner: string, ttlMs: number): Promise<HeldLease | null>;
  /** False when it was lost. */
  renew(lease: HeldLease, ttlMs: number): Promise<boolean>;
  release(lease: HeldLease): Promise<void>;
}
