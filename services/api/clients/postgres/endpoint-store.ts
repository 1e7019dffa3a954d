import type { Pool, PoolClient } from 'pg';
import type { StoredClientAuth } from '../../../../shared/contracts/jobs/client-auth.ts';
import { maxEndpointsOfClient, type EndpointTerms } from '../../../../shared/contracts/jobs/client-endpoints.ts';
import { endpointIdOf } from '../../../../shared/domain/job/job-ids.ts';
import type { Client, ClientEndpoint } from '../../../../shared/ports/clients.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import { inTransaction } from '../../../../shared/postgres/connection/transaction.ts';
import { findClient, forgetOutlets, lockRevision, moveRevision, type NewClientKey } from './client-store.ts';

export interface EndpointChange {
  url?: string | undefined;
  terms?: EndpointTerms | undefined;
  enabled?: boolean | undefined;
  /** Stored while the endpoint is disabled. */
  disabledReason?: string | null | undefined;
}

export type EndpointChanged =
  | { kind: 'changed'; endpoint: ClientEndpoint }
  | { kind: 'missing' }
  /** The endpoint has another revision by now: nothing was changed. */
  | { kind: 'outdated'; endpoint: ClientEndpoint };

export type EndpointCreated =
  { kind: 'created'; endpoint: ClientEndpoint } | { kind: 'missing' } | { kind: 'name-taken' } | { kind: 'too-many' };

/** Reasons that prevent the deletion of an endpoint. */
export interface EndpointUse {
  /** True if unfinished jobs name the endpoint. */
  hasJobs: boolean;
  /** Schedules that name the endpoint and have not ended. */
  schedules: number;
}

export type EndpointRemoved = { kind: 'removed' } | { kind: 'missing' } | ({ kind: 'in-use' } & EndpointUse);

export type EndpointStore = ReturnType<typeof createEndpointStore>;

/** Creates the store of endpoints. Changes increment the revisions of endpoint, client and all clients together. */
export function createEndpointStore({ pool }: { pool: Pool }) {
  /** @param work returns true if it changed anything */
  const changing = (
    clientId: string,
    name: string,
    work: (client: PoolClient, endpoint: ClientEndpoint) => Promise<boolean>,
  ): Promise<ClientEndpoint | undefined> =>
    inTransaction(pool, async (client) => {
      await lockRevision(client);
      const before = endpointOf(await findClient(client, clientId), name);
      if (!before || !(await work(client, before))) return before;
      return await moved(client, clientId, before);
    });

  return {
    create: (clientId: string, name: string, { url, terms }: { url: string; terms: EndpointTerms }) =>
      inTransaction(pool, async (client): Promise<EndpointCreated> => {
        await lockRevision(client);
        const owner = await findClient(client, clientId);
        if (!owner) return { kind: 'missing' };
        if (endpointOf(owner, name)) return { kind: 'name-taken' };
        if (owner.endpoints.length >= maxEndpointsOfClient) return { kind: 'too-many' };
        const endpointId = endpointIdOf(clientId, name);
        await client.query(insertEndpoint.with({ endpointId, clientId, name, url, terms: JSON.stringify(terms) }));
        await moveOwner(client, clientId);
        const endpoint = endpointOf(await findClient(client, clientId), name);
        return endpoint ? { kind: 'created', endpoint } : { kind: 'missing' };
      }),

    /** Changes an endpoint. If no field differs, no revision changes. @param expected revision; null for any */
    change: (
      clientId: string,
      name: string,
      wanted: EndpointChange,
      expected: number | null,
    ): Promise<EndpointChanged> =>
      inTransaction(pool, async (client): Promise<EndpointChanged> => {
        await lockRevision(client);
        const before = endpointOf(await findClient(client, clientId), name);
        if (!before) return { kind: 'missing' };
        if (expected !== null && expected !== before.revision) return { kind: 'outdated', endpoint: before };
        const { rowCount } = await client.query(updateEndpoint.with(updateOf(before, wanted)));
        if (rowCount === 0) return { kind: 'changed', endpoint: before };
        return { kind: 'changed', endpoint: (await moved(client, clientId, before)) ?? before };
      }),

    /** Deletes an endpoint, unless an unfinished job or schedule names it. */
    remove: (clientId: string, name: string): Promise<EndpointRemoved> =>
      inTransaction(pool, async (client) => {
        await lockRevision(client);
        const endpoint = endpointOf(await findClient(client, clientId), name);
        if (!endpoint) return { kind: 'missing' };
        const { rows } = await client.query<EndpointUse>(selectUse, [clientId, endpoint.endpointId]);
        const [use] = rows;
        if (use && (use.hasJobs || use.schedules > 0)) return { kind: 'in-use', ...use };
        await forgetOutlets(client, [endpoint.endpointId]);
        await client.query('delete from client_endpoints where id = $1', [endpoint.endpointId]);
        await moveOwner(client, clientId);
        return { kind: 'removed' };
      }),

    /**
     * Undefined if the endpoint does not exist. No revision changes without an effect. @param auth null: the client's
     */
    setAuth: (clientId: string, name: string, auth: StoredClientAuth | null) =>
      changing(clientId, name, async (client, { endpointId }) => {
        const set = `update client_endpoints set auth = $2 where id = $1 and (auth is not null or $2::jsonb is not null)`;
        return (await client.query(set, [endpointId, auth && JSON.stringify(auth)])).rowCount === 1;
      }),

    /** Returns undefined if the endpoint does not exist. */
    addKey: (clientId: string, name: string, { keyId, sealed, othersExpireAt }: NewClientKey) =>
      changing(clientId, name, async (client, { endpointId }) => {
        const expire = `update client_endpoint_keys set expires_at = least(expires_at, $2) where endpoint = $1`;
        if (othersExpireAt) await client.query(expire, [endpointId, othersExpireAt]);
        await client.query(insertKey, [keyId, endpointId, sealed]);
        return true;
      }),

    /**
     * Deletes a key at once. Returns undefined if the endpoint does not exist. No revision changes without an effect.
     */
    removeKey: (clientId: string, name: string, keyId: string) =>
      changing(clientId, name, async (client, { endpointId }) => {
        const remove = 'delete from client_endpoint_keys where endpoint = $1 and id = $2';
        return (await client.query(remove, [endpointId, keyId])).rowCount === 1;
      }),
  };
}

function endpointOf(client: Client | undefined, name: string): ClientEndpoint | undefined {
  return client?.endpoints.find((each) => each.name === name);
}

async function moved(client: PoolClient, clientId: string, { endpointId, name }: ClientEndpoint) {
  await client.query(touchEndpoint, [endpointId]);
  await moveOwner(client, clientId);
  return endpointOf(await findClient(client, clientId), name);
}

function updateOf(before: ClientEndpoint, { url, terms, enabled, disabledReason }: EndpointChange): EndpointUpdate {
  const reason = disabledReason === undefined ? before.disabledReason : disabledReason;
  const text = terms ? JSON.stringify(terms) : null;
  return { endpointId: before.endpointId, url: url ?? null, terms: text, enabled: enabled ?? null, reason };
}

/** Increments the revision of the client, because processes read endpoints together with their client. */
async function moveOwner(client: PoolClient, clientId: string): Promise<void> {
  await client.query('update clients set revision = revision + 1, updated_at = now() where id = $1', [clientId]);
  await moveRevision(client);
}

const insertEndpoint = statementOf<Record<'endpointId' | 'clientId' | 'name' | 'url' | 'terms', string>>(
  'insert-endpoint',
  ($) => `
  insert into client_endpoints (id, client, name, url, definition)
  values (${$('endpointId')}, ${$('clientId')}, ${$('name')}, ${$('url')}, ${$('terms')}::jsonb)`,
);

const touchEndpoint = 'update client_endpoints set revision = revision + 1, updated_at = now() where id = $1';

const insertKey = `
  insert into client_endpoint_keys (id, endpoint, sealed, created_at) values ($1, $2, $3, clock_timestamp())`;

const selectUse = `
  select exists (select from jobs j where j.endpoint = $2) as "hasJobs",
    (select count(*)::int from schedules s where s.client = $1 and s.state <> 'ended'
      and s.definition -> 'call' -> 'endpoint' ->> 'id' = $2::text) as schedules`;

/** Parameters of an update; null leaves a field unchanged, except for the reason, which becomes null. */
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
    select id, coalesce(${$('url')}, url) as url, coalesce(${$('terms')}::jsonb, definition) as definition,
      coalesce(${$('enabled')}, enabled) as enabled,
      case when coalesce(${$('enabled')}, enabled) then null else ${$('reason')} end as reason
    from client_endpoints where id = ${$('endpointId')}
  ) w
  where e.id = w.id
    and (e.url, e.definition, e.enabled, e.disabled_reason)
      is distinct from (w.url, w.definition, w.enabled, w.reason)`,
);
