import type { Pool } from 'pg';
import { keptEndpointTerms } from '../../contracts/jobs/client-endpoints.ts';
import { storedClientAuth } from '../../contracts/jobs/client-auth.ts';
import { keptClientDefinition } from '../../contracts/jobs/clients.ts';
import type { Client, ClientEndpoint, ClientKey, ClientSource } from '../../ports/clients.ts';
import { onlyRow, withDates, type InJson } from '../connection/rows.ts';

/** A client's row. A newer version may have written its JSON. */
export type ClientRow = Omit<Client, 'definition' | 'auth' | 'keys' | 'endpoints'> & {
  definition: unknown;
  auth: unknown;
  keys: InJson<ClientKey>[];
  endpoints: EndpointRow[];
};

type EndpointRow = Omit<InJson<ClientEndpoint>, 'terms' | 'auth' | 'keys'> & {
  terms: unknown;
  auth: unknown;
  keys: InJson<ClientKey>[];
};

/** Selects the unexpired keys, newest first. */
const keysOf = (table: string, owner: string) => `(
    select coalesce(json_agg(json_build_object(
      'keyId', k.id, 'sealed', k.sealed, 'createdAt', k.created_at, 'expiresAt', k.expires_at)
        order by k.created_at desc, k.id desc), '[]')
    from ${table} k where ${owner} and coalesce(k.expires_at > now(), true))`;

/** Columns of a client and its keys, named as `clientOf` reads them; `c` is the client's row. */
export const clientFields = `
  c.id as "clientId", c.name, c.revision, c.definition, c.auth, c.enabled, c.disabled_reason as "disabledReason",
  c.created_at as "createdAt", c.updated_at as "updatedAt",
  ${keysOf('client_keys', 'k.client = c.id')} as keys,
  (select coalesce(json_agg(json_build_object('endpointId', e.id, 'name', e.name, 'revision', e.revision, 'url', e.url,
      'terms', e.definition, 'enabled', e.enabled, 'disabledReason', e.disabled_reason, 'auth', e.auth,
      'keys', ${keysOf('client_endpoint_keys', 'k.endpoint = e.id')}, 'createdAt', e.created_at,
      'updatedAt', e.updated_at) order by e.name), '[]')
    from client_endpoints e where e.client = c.id) as endpoints`;

/** Returns undefined if a newer version wrote a definition that this one cannot read. */
export function clientOf(row: ClientRow): Client | undefined {
  const definition = keptClientDefinition.safeParse(row.definition).data;
  const auth = storedClientAuth.nullable().safeParse(row.auth).data;
  if (!definition || auth === undefined) return undefined;
  const endpoints = row.endpoints.flatMap((each) => endpointOf(each) ?? []);
  return { ...row, definition, auth, keys: row.keys.map(keyOf), endpoints };
}

function endpointOf(row: EndpointRow): ClientEndpoint | undefined {
  const terms = keptEndpointTerms.safeParse(row.terms).data;
  const auth = storedClientAuth.nullable().safeParse(row.auth).data;
  if (!terms || auth === undefined) return undefined;
  return { ...withDates(row), terms, auth, keys: row.keys.map(keyOf) };
}

function keyOf({ createdAt, expiresAt, ...key }: InJson<ClientKey>): ClientKey {
  return { ...key, createdAt: new Date(createdAt), expiresAt: expiresAt === null ? null : new Date(expiresAt) };
}

/** Reads everything in one statement, for one consistent snapshot. */
const readAll = `
  select clients_revision::float8 as revision,
    (select coalesce(json_agg(t order by t.name), '[]') from (select ${clientFields} from clients c) t) as clients
  from installation`;

export function createClientSource({ pool }: { pool: Pool }): ClientSource {
  return {
    revision: async () => {
      const text = 'select clients_revision::float8 as revision from installation';
      const { rows } = await pool.query<{ revision: number }>({ name: 'clients-revision', text });
      return onlyRow(rows).revision;
    },
    read: async () => {
      const { rows } = await pool.query<{ revision: number; clients: InJson<ClientRow>[] }>(readAll);
      const { revision, clients } = onlyRow(rows);
      return { revision, clients: clients.flatMap((row) => clientOf(withDates(row)) ?? []) };
    },
  };
}
