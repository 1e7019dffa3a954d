import type { Pool, PoolClient } from 'pg';
import type { StoredClientAuth } from '../../../../shared/contracts/jobs/client-auth.ts';
import { maxEndpointsOfClient } from '../../../../shared/contracts/jobs/client-endpoints.ts';
import type { EndpointTerms } from '../../../../shared/contracts/jobs/endpoint-terms.ts';
import { defaultEndpointName, endpointIdOf } from '../../../../shared/domain/job/job-ids.ts';
import type { Client, ClientEndpoint } from '../../../../shared/ports/clients.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import { inTransaction } from '../../../../shared/postgres/connection/transaction.ts';
import { findClient, deleteEndpointState, insertEndpoint, lockRevision, moveRevision } from './client-store.ts';

export interface EndpointChange {
  /**
   * URL of the endpoint. Null is possible only for `default`, whose jobs then have their own URLs. Undefined leaves the
   * URL unchanged.
   */
  url?: string | null | undefined;
  terms?: EndpointTerms | undefined;
  enabled?: boolean | undefined;
  /** Reason why the endpoint is disabled. It is stored only while the endpoint is disabled. */
  disabledReason?: string | null | undefined;
}

/** Endpoint and its client, read at the same moment. */
export interface OwnedEndpoint {
  client: Client;
  endpoint: ClientEndpoint;
}

export type EndpointChanged =
  | { kind: 'changed'; owned: OwnedEndpoint }
  | { kind: 'missing' }
  /** `outdated`: the endpoint has another revision than the expected one, and nothing was changed. */
  | { kind: 'outdated' };

export type EndpointCreated =
  { kind: 'created'; owned: OwnedEndpoint } | { kind: 'missing' } | { kind: 'name-taken' } | { kind: 'too-many' };

/** Uses of an endpoint that prevent its deletion. */
export interface EndpointUse {
  /** True if unfinished jobs use the endpoint. */
  hasJobs: boolean;
  /** Number of schedules that use the endpoint and have not ended. */
  schedules: number;
}

export type EndpointRemoved =
  { kind: 'removed' } | { kind: 'missing' } | { kind: 'default' } | ({ kind: 'in-use' } & EndpointUse);

export interface NewClientKey {
  keyId: string;
  /** Encrypted secret of the key. */
  sealed: string;
  /** Time at which the existing keys expire, unless they expire earlier; null leaves them unchanged. */
  othersExpireAt: Date | null;
}

export type EndpointStore = ReturnType<typeof createEndpointStore>;

/** Creates the store of endpoints. Changes increment the revisions of endpoint, client and all clients together. */
export function createEndpointStore({ pool }: { pool: Pool }) {
  /**
   * Runs a change of an endpoint, and increments the revisions if it had an effect.
   * @param work returns true if it changed anything
   */
  const changing = (
    clientId: string,
    name: string,
    work: (client: PoolClient, endpoint: ClientEndpoint) => Promise<boolean>,
  ): Promise<OwnedEndpoint | undefined> =>
    inTransaction(pool, async (client) => {
      await lockRevision(client);
      const before = await findEndpoint(client, clientId, name);
      if (!before || !(await work(client, before.endpoint))) return before;
      return await moved(client, before);
    });

  return {
    create: (clientId: string, name: string, { url, terms }: { url: string; terms: EndpointTerms }) =>
      inTransaction(pool, async (client): Promise<EndpointCreated> => {
        await lockRevision(client);
        const owner = await findClient(client, clientId);
        if (!owner) return { kind: 'missing' };
        if (endpointIn(owner, name)) return { kind: 'name-taken' };
        if (owner.endpoints.length > maxEndpointsOfClient) return { kind: 'too-many' };
        const endpointId = endpointIdOf(clientId, name);
        await client.query(insertEndpoint.with({ endpointId, clientId, name, url, terms: JSON.stringify(terms) }));
        await incrementClientRevision(client, clientId);
        const owned = await findEndpoint(client, clientId, name);
        return owned ? { kind: 'created', owned } : { kind: 'missing' };
      }),

    /**
     * Changes an endpoint. If no field differs, the revisions stay the same.
     * @param expected revision that the caller expects; null permits any
     */
    change: (
      clientId: string,
      name: string,
      wanted: EndpointChange,
      expected: number | null,
    ): Promise<EndpointChanged> =>
      inTransaction(pool, async (client): Promise<EndpointChanged> => {
        await lockRevision(client);
        const before = await findEndpoint(client, clientId, name);
        if (!before) return { kind: 'missing' };
        if (expected !== null && expected !== before.endpoint.revision) return { kind: 'outdated' };
        const { rowCount } = await client.query(updateEndpoint.with(updateOf(before.endpoint, wanted)));
        if (rowCount === 0) return { kind: 'changed', owned: before };
        return { kind: 'changed', owned: (await moved(client, before)) ?? before };
      }),

    /** Deletes an endpoint. Refuses to delete `default`, and endpoints that an unfinished job or schedule uses. */
    remove: (clientId: string, name: string): Promise<EndpointRemoved> =>
      inTransaction(pool, async (client) => {
        await lockRevision(client);
        const owned = await findEndpoint(client, clientId, name);
        if (!owned) return { kind: 'missing' };
        if (name === defaultEndpointName) return { kind: 'default' };
        const { endpointId } = owned.endpoint;
        const { rows } = await client.query<EndpointUse>(selectUse, [clientId, endpointId]);
        const [use] = rows;
        if (use && (use.hasJobs || use.schedules > 0)) return { kind: 'in-use', ...use };
        await deleteEndpointState(client, [endpointId]);
        await client.query('delete from client_endpoints where id = $1', [endpointId]);
        await incrementClientRevision(client, clientId);
        return { kind: 'removed' };
      }),

    /**
     * Sets the credentials of an endpoint. Returns undefined if the endpoint does not exist. If nothing differs, the
     * revisions stay the same.
     * @param auth credentials; null means that the endpoint uses those of `default`
     */
    setAuth: (clientId: string, name: string, auth: StoredClientAuth | null) =>
      changing(clientId, name, async (client, { endpointId }) => {
        const set = `update client_endpoints set auth = $2 where id = $1 and (auth is not null or $2::jsonb is not null)`;
        return (await client.query(set, [endpointId, auth && JSON.stringify(auth)])).rowCount === 1;
      }),

    /** Adds a key. Returns undefined if the endpoint does not exist. */
    addKey: (clientId: string, name: string, { keyId, sealed, othersExpireAt }: NewClientKey) =>
      changing(clientId, name, async (client, { endpointId }) => {
        const expire = `update client_endpoint_secrets set expires_at = least(expires_at, $2) where endpoint = $1`;
        if (othersExpireAt) await client.query(expire, [endpointId, othersExpireAt]);
        await insertKey(client, endpointId, { keyId, sealed });
        return true;
      }),

    /**
     * Deletes a key at once. Returns undefined if the endpoint does not exist. If the key does not exist, the revisions
     * stay the same.
     */
    removeKey: (clientId: string, name: string, keyId: string) =>
      changing(clientId, name, async (client, { endpointId }) => {
        const remove = 'delete from client_endpoint_secrets where endpoint = $1 and id = $2';
        return (await client.query(remove, [endpointId, keyId])).rowCount === 1;
      }),
  };
}

function endpointIn({ endpoints }: Client, name: string): ClientEndpoint | undefined {
  return endpoints.find((each) => each.name === name);
}

async function findEndpoint(
  connection: PoolClient,
  clientId: string,
  name: string,
): Promise<OwnedEndpoint | undefined> {
  const client = await findClient(connection, clientId);
  const endpoint = client && endpointIn(client, name);
  return endpoint && { client, endpoint };
}

async function moved(connection: PoolClient, { client: { clientId }, endpoint: { endpointId, name } }: OwnedEndpoint) {
  await connection.query(touchEndpoint, [endpointId]);
  await incrementClientRevision(connection, clientId);
  return await findEndpoint(connection, clientId, name);
}

function updateOf(before: ClientEndpoint, { url, terms, enabled, disabledReason }: EndpointChange): EndpointUpdate {
  const reason = disabledReason === undefined ? before.disabledReason : disabledReason;
  const text = terms ? JSON.stringify(terms) : null;
  const wanted = url === undefined ? before.url : url;
  return { endpointId: before.endpointId, url: wanted, terms: text, enabled: enabled ?? null, reason };
}

/** Increments the revision of the client, because processes read endpoints together with their client. */
async function incrementClientRevision(client: PoolClient, clientId: string): Promise<void> {
  await client.query('update clients set revision = revision + 1, updated_at = now() where id = $1', [clientId]);
  await moveRevision(client);
}

const touchEndpoint = 'update client_endpoints set revision = revision + 1, updated_at = now() where id = $1';

export async function insertKey(
  client: PoolClient,
  endpointId: string,
  { keyId, sealed }: Pick<NewClientKey, 'keyId' | 'sealed'>,
): Promise<void> {
  await client.query(insertSealed, [keyId, endpointId, sealed]);
}

const insertSealed = `
  insert into client_endpoint_secrets (id, endpoint, sealed, created_at) values ($1, $2, $3, clock_timestamp())`;

const selectUse = `
  select exists (select from jobs j where j.endpoint = $2) as "hasJobs",
    (select count(*)::int from schedules s where s.client = $1 and s.state <> 'ended'
      and s.definition -> 'call' -> 'endpoint' ->> 'id' = $2::text) as schedules`;

/** Parameters of an update. Null leaves a field unchanged, except for the URL and the reason, which become null. */
interface EndpointUpdate {
  endpointId: string;
  url: string | null;
  terms: string | null;
  enabled: boolean | null;
  reason: string | null;
}

const updateEndpoint = statementOf<EndpointUpdate>(
  'update-endpoint',
  ($) => `
  update client_endpoints e set url = w.url, definition = w.definition, enabled = w.enabled, disabled_reason = w.reason
  from (
    select id, ${$('url')}::text as url, coalesce(${$('terms')}::jsonb, definition) as definition,
      coalesce(${$('enabled')}, enabled) as enabled,
      case when coalesce(${$('enabled')}, enabled) then null else ${$('reason')} end as reason
    from client_endpoints where id = ${$('endpointId')}
  ) w
  where e.id = w.id
    and (e.url, e.definition, e.enabled, e.disabled_reason)
      is distinct from (w.url, w.definition, w.enabled, w.reason)`,
);
