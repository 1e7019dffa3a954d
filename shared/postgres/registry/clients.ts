import type { Pool } from 'pg';
import { keptDefaultTerms, keptEndpointTerms } from '../../contracts/jobs/endpoint-terms.ts';
import { storedClientAuth } from '../../contracts/jobs/client-auth.ts';
import { keptClientDefinition } from '../../contracts/jobs/clients.ts';
import type { Client, ClientEndpoint, ClientKey, ClientSource, DefaultEndpoint } from '../../ports/clients.ts';
import { onlyRow, withDates, type InJson } from '../connection/rows.ts';

/** A client's row. A newer version may have written its JSON. */
export type ClientRow = Omit<Client, 'definition' | 'endpoints'> & {
  definition: unknown;
  endpoints: EndpointRow[];
};

type EndpointRow = Omit<InJson<ClientEndpoint>, 'terms' | 'auth' | 'keys'> & {
  terms: unknown;
  auth: unknown;
  keys: InJson<ClientKey>[];
};

/** Unexpired keys of the endpoint `e`, newest first. */
const keys = `(
    select coalesce(json_agg(json_build_object(
      'keyId', k.id, 'sealed', k.sealed, 'createdAt', k.created_at, 'expiresAt', k.expires_at)
        order by k.created_at desc, k.id desc), '[]')
    from client_endpoint_secrets k where k.endpoint = e.id and coalesce(k.expires_at > now(), true))`;

/** Columns of a client and its endpoints, named as `clientOf` reads them; `c` is the client's row. */
export const clientFields = `
  c.id as "clientId", c.name, c.revision, c.definition, c.created_at as "createdAt", c.updated_at as "updatedAt",
  (select coalesce(json_agg(json_build_object('endpointId', e.id, 'name', e.name, 'revision', e.revision, 'url', e.url,
      'terms', e.definition, 'enabled', e.enabled, 'disabledReason', e.disabled_reason, 'auth', e.auth,
      'keys', ${keys}, 'createdAt', e.created_at,
      'updatedAt', e.updated_at) order by e.id <> c.id, e.name), '[]')
    from client_endpoints e where e.client = c.id) as endpoints`;

/** Returns undefined if a newer version wrote a definition, or terms of `default`, that this version cannot read. */
export function clientOf(row: ClientRow): Client | undefined {
  const definition = keptClientDefinition.safeParse(row.definition).data;
  const [first, ...others] = row.endpoints;
  const own = first?.endpointId === row.clientId ? defaultOf(first) : undefined;
  if (!definition || !own) return undefined;
  return { ...row, definition, endpoints: [own, ...others.flatMap((each) => endpointOf(each) ?? [])] };
}

function defaultOf(row: EndpointRow): DefaultEndpoint | undefined {
  const endpoint = endpointOf(row);
  const terms = keptDefaultTerms.safeParse(row.terms).data;
  return endpoint && terms && { ...endpoint, terms };
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
