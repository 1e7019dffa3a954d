import type { Role } from '../domain/roles.ts';

export interface ApiKeyRecord {
  key: string;
  name: string;
  role: Role;
  createdAt: Date;
  revokedAt: Date | null;
}

/** Keys are stored as SHA-256 digests: they cannot be used by reading the table. */
export interface ApiKeys {
  /** Adds a key under its digest; a digest that exists is left as it is. */
  add(name: string, digest: string, role: Role): Promise<ApiKeyRecord>;
  /** The key behind a digest, unless it was revoked. */
  find(digest: string): Promise<ApiKeyRecord | undefined>;
  list(): Promise<ApiKeyRecord[]>;
  /** False when there is no such key. */
  revoke(key: string): Promise<boolean>;
}
