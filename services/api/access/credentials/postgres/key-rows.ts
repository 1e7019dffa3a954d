import type { ApiKeyShape } from '../../../../../shared/contracts/access/api-keys.ts';
import type { KeyBounds } from '../../../../../shared/domain/key-bounds.ts';
import type { Role } from '../../../../../shared/domain/roles.ts';
import type { Scope } from '../../../../../shared/domain/scopes.ts';

export type KeyState = ApiKeyShape['state'];

export interface ApiKeyRecord {
  key: string;
  name: string;
  owner: string | null;
  role: Role;
  scope: Scope;
  bounds: KeyBounds;
  revision: number;
  createdAt: Date;
  /** Id of the key with which this one was created; null if it was created directly in the database. */
  createdBy: string | null;
  /**
   * Id of the account: the key whose quotas this key uses. It is the key itself, or the key from which the keys of its
   * team were created.
   */
  account: string;
  expiresAt: Date | null;
  /** Time of the last use, exact to a minute. */
  lastUsedAt: Date | null;
  rotatedAt: Date | null;
  /** Time at which the secrets before the last rotation expire; null if none of them is valid any more. */
  formerUntil: Date | null;
  revokedAt: Date | null;
  /** Refused requests with an expired or revoked secret; null if there were none. */
  refusals: KeyRefusals | null;
  /** State of the key, by the database's clock. */
  state: KeyState;
  /**
   * Issuer of a person or program; null for API keys. The row of a person or program has no secret, because their
   * tokens grant the rights.
   */
  issuer: string | null;
  subject: string | null;
}

/**
 * Refused requests since the expiry was last set, or since the last rotation. Requests of the last minute may be
 * missing.
 */
export interface KeyRefusals {
  count: number;
  lastAt: Date;
  /** IP address of the last such request; null if unknown. */
  lastFrom: string | null;
}

export interface KeyRow extends Omit<ApiKeyRecord, 'scope' | 'bounds' | 'refusals'>, Scope, KeyBounds {
  refusedCount: number;
  lastRefusedAt: Date | null;
  lastRefusedFrom: string | null;
}

export function keyOf(row: KeyRow): ApiKeyRecord {
  const { key, name, owner, role, clients, countries, actionTypes, users, revision, createdAt, createdBy, account } =
    row;
  const { expiresAt, lastUsedAt, rotatedAt, formerUntil, revokedAt, state, issuer, subject } = row;
  const { refusedCount: count, lastRefusedAt: lastAt, lastRefusedFrom: lastFrom } = row;
  const scope = { clients, countries, actionTypes, users };
  const { jobsPerSecond, storedJobs, requestsPerMinute } = row;
  const bounds = { jobsPerSecond, storedJobs, requestsPerMinute };
  const times = { createdAt, expiresAt, lastUsedAt, rotatedAt, formerUntil, revokedAt };
  const refusals = lastAt && { count, lastAt, lastFrom };
  const rights = { role, scope, bounds };
  return { key, name, owner, ...rights, revision, createdBy, account, ...times, refusals, state, issuer, subject };
}

/** SQL condition: the key `k` is neither revoked nor expired. */
export const isGoodKey = `k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`;

export const keyState = `case when k.revoked_at is not null then 'revoked' when k.expires_at <= now() then 'expired'
  else 'active' end`;

export const keyFields = `k.id as key, k.name, k.owner, k.role, k.clients::text[] as clients, k.countries,
  k.action_types as "actionTypes", k.reads_users as users, k.jobs_per_second as "jobsPerSecond",
  k.stored_jobs as "storedJobs", k.requests_per_minute as "requestsPerMinute", k.revision,
  k.created_at as "createdAt", k.created_by as "createdBy",
  k.account, k.expires_at as "expiresAt", k.last_used_at as "lastUsedAt", k.rotated_at as "rotatedAt",
  (select max(f.expires_at) from api_key_secrets f where f.api_key = k.id and f.expires_at > now()) as "formerUntil",
  k.revoked_at as "revokedAt", k.refused_count::float8 as "refusedCount", k.last_refused_at as "lastRefusedAt",
  k.last_refused_from as "lastRefusedFrom", ${keyState} as state, k.issuer, k.subject`;
