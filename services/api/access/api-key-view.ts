import type { ApiKeyShape, ScopeShape } from '../../../shared/contracts/access/api-keys.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { Scope } from '../../../shared/domain/scopes.ts';
import type { ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import type { ApiKeyRecord } from './credentials/postgres/key-rows.ts';

type Clients = Pick<ClientReader, 'current'>;

export function apiKeyView(record: ApiKeyRecord, clients: Clients): ApiKeyShape {
  const { key, name, owner, role, scope, bounds, state, revision, createdBy, issuer, subject, refusals } = record;
  const id = publicId('apiKey', key);
  return {
    id,
    name,
    owner,
    role,
    scope: scopeView(scope, clients),
    bounds,
    state,
    revision,
    createdBy: createdBy === null ? null : publicId('apiKey', createdBy),
    createdAt: record.createdAt.toISOString(),
    expiresAt: record.expiresAt?.toISOString() ?? null,
    lastUsedAt: record.lastUsedAt?.toISOString() ?? null,
    rotatedAt: record.rotatedAt?.toISOString() ?? null,
    formerUntil: record.formerUntil?.toISOString() ?? null,
    revokedAt: record.revokedAt?.toISOString() ?? null,
    refusals: refusals && { ...refusals, lastAt: refusals.lastAt.toISOString() },
    person: issuer === null ? null : { issuer, subject: subject ?? '' },
    links: { self: `/v1/api-keys/${id}` },
  };
}

/** Returns a scope with the names of its clients instead of their ids, because people know the names. */
export function scopeView(
  { clients: ids, countries, actionTypes, users = false }: Scope,
  clients: Clients,
): ScopeShape {
  const byId = clients.current()?.byId;
  return {
    clients: ids?.map((id) => byId?.get(id)?.name ?? publicId('client', id)) ?? null,
    countries: countries === null ? null : [...countries],
    actionTypes: actionTypes === null ? null : [...actionTypes],
    users,
  };
}
