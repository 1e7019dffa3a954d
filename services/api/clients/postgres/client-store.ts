import pg, { type Pool, type PoolClient } from 'pg';
import type { ClientDefinition } from '../../../../shared/contracts/jobs/clients.ts';
import type { DefaultTerms } from '../../../../shared/contracts/jobs/endpoint-terms.ts';
import { defaultEndpointName } from '../../../../shared/domain/job/job-ids.ts';
import type { Client } from '../../../../shared/ports/clients.ts';
import { isNotificationClient } from '../../../../shared/domain/job/notification-clients.ts';
import { clientFields, clientOf, type ClientRow } from '../../../../shared/postgres/registry/clients.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import { inTransaction } from '../../../../shared/postgres/connection/transaction.ts';
import type { Page } from '../../frame/page.port.ts';
import { pageOf, requireIdCursor } from '../../frame/postgres/pages.ts';
import { patternOf } from '../../frame/postgres/name-pattern.ts';

export interface NewClient {
  clientId: string;
  name: string;
  definition: ClientDefinition;
  /** URL and terms of the client's endpoint `default`. */
  endpoint: { url: string | null; terms: DefaultTerms };
}

export interface ClientFilter {
  /** Ids of the clients to return; undefined means all. */
  ids?: readonly string[] | undefined;
  text?: string | undefined;
}

export interface ClientChange {
  name?: string | undefined;
  definition?: ClientDefinition | undefined;
}

export type ClientChanged =
  | { kind: 'changed'; client: Client }
  | { kind: 'missing' }
  /** `outdated`: the client has another revision than the expected one, and nothing was changed. */
  | { kind: 'outdated'; client: Client }
  | { kind: 'name-taken' };

/** Uses of a client that prevent its deletion. */
export interface ClientUse {
  /**
   * True if the client is enabled. It stays true for some seconds after the client is disabled, because some processes
   * may not have read the change yet.
   */
  isEnabled: boolean;
  /** Number of stored unfinished jobs. */
  jobs: number;
  /** Number of schedules that are neither disabled nor ended. */
  schedules: number;
}

export type ClientRemoved = { kind: 'removed' } | { kind: 'missing' } | ({ kind: 'in-use' } & ClientUse);

export type ClientStore = ReturnType<typeof createClientStore>;

/** Creates the store of clients. Changes increment the revisions of the client and of all clients together. */
export function createClientStore({ pool }: { pool: Pool }) {
  return {
    /**
     * Returns a page of clients, oldest first.
     * @param cursor id of the last client of the previous page
     */
    list: async ({ ids, text }: ClientFilter, limit: number, cursor: string | null): Promise<Page<Client>> => {
      requireIdCursor(cursor);
      const { rows } = await pool.query<ClientRow>(selectClients, [cursor, limit + 1, ids ?? null, patternOf(text)]);
      return pageOf(
        rows.flatMap((row) => clientOf(row) ?? []),
        limit,
        ({ clientId }) => clientId,
      );
    },

    /** Returns a client; undefined for the client of a notification, because notifications have routes of their own. */
    get: async (clientId: string) => {
      const client = await findClient(pool, clientId);
      return client && isNotificationClient(client) ? undefined : client;
    },

    /** Creates a client without a signing key. Returns undefined if another client has this name. */
    create: (created: NewClient): Promise<Client | undefined> =>
      unlessNameTaken(undefined, () =>
        inTransaction(pool, async (client) => {
          await moveRevision(client);
          await insertClient(client, created);
          return await findClient(client, created.clientId);
        }),
      ),

    /**
     * Changes a client. If no field differs, the revisions stay the same.
     * @param expected revision that the caller expects; null permits any
     */
    change: (clientId: string, change: ClientChange, expected: number | null): Promise<ClientChanged> =>
      unlessNameTaken({ kind: 'name-taken' as const }, () =>
        inTransaction(pool, async (client) => {
          await lockRevision(client);
          const before = await findClient(client, clientId);
          if (!before) return { kind: 'missing' as const };
          if (expected !== null && expected !== before.revision) return { kind: 'outdated' as const, client: before };
          const { name = null, definition } = change;
          const text = definition ? JSON.stringify(definition) : null;
          const { rowCount } = await client.query(update.with({ clientId, name, definition: text }));
          if (rowCount === 0) return { kind: 'changed' as const, client: before };
          await moveRevision(client);
          return { kind: 'changed' as const, client: (await findClient(client, clientId)) ?? before };
        }),
      ),

    /** Deletes a client that is not in use. Only the results of its jobs remain. */
    remove: (clientId: string): Promise<ClientRemoved> =>
      inTransaction(pool, async (client) => {
        await lockRevision(client);
        const { rows } = await client.query<ClientUse>(selectUse, [clientId]);
        const [use] = rows;
        if (!use) return { kind: 'missing' };
        if (use.isEnabled || use.jobs > 0 || use.schedules > 0) return { kind: 'in-use', ...use };
        await client.query(deleteSchedules, [clientId]);
        await client.query(deleteCounts, [clientId]);
        const { rows: endpoints } = await client.query<{ id: string }>(selectEndpoints, [clientId]);
        await deleteEndpointState(
          client,
          endpoints.map(({ id }) => id),
        );
        await client.query(deleteClient, [clientId]);
        await moveRevision(client);
        return { kind: 'removed' };
      }),
  };
}

/**
 * Selects the uses that prevent a deletion. A client that was disabled within the last 3 seconds counts as enabled: a
 * change reaches each process within a second, and a process that has not read it may still accept a job.
 */
const selectUse = `
  select e.enabled or c.updated_at > now() - interval '3 seconds' as "isEnabled",
    (select coalesce(sum(accepted - called - expired - cancelled - dead), 0) from client_totals t where t.client = c.id
      )::float8 as jobs,
    (select count(*) from schedules s where s.client = c.id and s.state not in ('disabled', 'ended'))::int as schedules
  from clients c join client_endpoints e on e.id = c.id
  where c.id = $1 and not exists (select from notifications n where n.id = c.id and n.deleted_at is null)`;

const deleteSchedules = 'delete from schedules where client = $1';

const deleteCounts = `
  with t as (delete from client_totals where client = $1), r as (delete from client_fire_rates where client = $1)
  delete from ledger_checks where client = $1`;

const selectEndpoints = 'select id from client_endpoints where client = $1';

/**
 * Deletes the circuit breaker states and call slots of deleted endpoints.
 * @param endpointIds ids of these endpoints
 */
export async function deleteEndpointState(client: PoolClient, endpointIds: readonly string[]): Promise<void> {
  await client.query(deleteStates, [endpointIds]);
}

const deleteStates = `
  with h as (delete from host_circuits where endpoint = any($1::uuid[]))
  delete from leases l using unnest($1::uuid[]) k (id) where starts_with(l.name, 'call-slot/' || k.id || '/')`;

/** Deletes the client. Foreign keys delete its endpoints and their keys. */
const deleteClient = 'delete from clients where id = $1';

/** Selects a page of clients. Parameters: $1 cursor, $2 limit, $3 ids or null, $4 pattern of the name or null. */
const selectClients = `
  select ${clientFields} from clients c
  where ($1::uuid is null or c.id > $1) and ($3::uuid[] is null or c.id = any($3))
    and ($4::text is null or c.name ilike $4)
    and not exists (select from notifications n where n.id = c.id)
  order by c.id limit $2`;

/** Inserts a client and its endpoint `default`, which has the same id as the client. */
export async function insertClient(
  client: PoolClient,
  { clientId, name, definition, endpoint }: NewClient,
): Promise<void> {
  const values = [clientId, name, JSON.stringify(definition)];
  await client.query('insert into clients (id, name, definition) values ($1, $2, $3)', values);
  const { url, terms } = endpoint;
  const row = { endpointId: clientId, clientId, name: defaultEndpointName, url, terms: JSON.stringify(terms) };
  await client.query(insertEndpoint.with(row));
}

interface EndpointRow extends Record<'endpointId' | 'clientId' | 'name' | 'terms', string> {
  url: string | null;
}

export const insertEndpoint = statementOf<EndpointRow>(
  'insert-endpoint',
  ($) => `
  insert into client_endpoints (id, client, name, url, definition)
  values (${$('endpointId')}, ${$('clientId')}, ${$('name')}, ${$('url')}, ${$('terms')}::jsonb)`,
);

/** Serializes changes of clients, so that revisions become visible in their order. */
export async function lockRevision(client: PoolClient): Promise<void> {
  await client.query('select 1 from installation for update');
}

export async function moveRevision(client: PoolClient): Promise<void> {
  await client.query('update installation set clients_revision = clients_revision + 1');
}

export async function findClient(connection: Pool | PoolClient, clientId: string): Promise<Client | undefined> {
  const { rows } = await connection.query<ClientRow>(`select ${clientFields} from clients c where c.id = $1`, [
    clientId,
  ]);
  return rows[0] && clientOf(rows[0]);
}

/** Parameters of an update; null leaves the field unchanged. */
interface ClientUpdate {
  clientId: string;
  name: string | null;
  definition: string | null;
}

const update = statementOf<ClientUpdate>(
  'update-client',
  ($) => `
  update clients c set name = w.name, definition = w.definition, revision = c.revision + 1, updated_at = now()
  from (
    select id, coalesce(${$('name')}, name) as name, coalesce(${$('definition')}::jsonb, definition) as definition
    from clients where id = ${$('clientId')}
  ) w
  where c.id = w.id and (c.name, c.definition) is distinct from (w.name, w.definition)`,
);

const uniqueViolation = '23505';

async function unlessNameTaken<Result, Taken>(taken: Taken, work: () => Promise<Result>): Promise<Result | Taken> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === uniqueViolation && error.constraint === 'clients_name_key')
      return taken;
    throw error;
  }
}
