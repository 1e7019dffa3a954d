import pg, { type Pool, type PoolClient } from 'pg';
import type { ClientDefinition } from '../../../../shared/contracts/jobs/clients.ts';
import type { StoredClientAuth } from '../../../../shared/contracts/jobs/client-auth.ts';
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
}

export interface ClientFilter {
  /** Ids of the clients; undefined means all. */
  ids?: readonly string[] | undefined;
  text?: string | undefined;
}

export interface ClientChange {
  name?: string | undefined;
  definition?: ClientDefinition | undefined;
  enabled?: boolean | undefined;
  /** Stored while the client is disabled. */
  disabledReason?: string | null | undefined;
}

export type ClientChanged =
  | { kind: 'changed'; client: Client }
  | { kind: 'missing' }
  /** The client has another revision by now: nothing was changed. */
  | { kind: 'outdated'; client: Client }
  | { kind: 'name-taken' };

/** Reasons that prevent the deletion of a client. */
export interface ClientUse {
  /** True also after a change in the last seconds, which some processes may not have read yet. */
  isEnabled: boolean;
  /** Stored unfinished jobs. */
  jobs: number;
  /** Schedules that are neither disabled nor ended. */
  schedules: number;
}

export type ClientRemoved = { kind: 'removed' } | { kind: 'missing' } | ({ kind: 'in-use' } & ClientUse);

export interface NewClientKey {
  keyId: string;
  /** Encrypted. */
  sealed: string;
  /** Expiry of the existing keys, unless they expire earlier; null: unchanged. */
  othersExpireAt: Date | null;
}

export type ClientStore = ReturnType<typeof createClientStore>;

/** Creates the store of clients. Changes increment the revisions of the client and of all clients together. */
export function createClientStore({ pool }: { pool: Pool }) {
  return {
    /** Returns clients, oldest first. @param cursor id of the last client of the previous page */
    list: async ({ ids, text }: ClientFilter, limit: number, cursor: string | null): Promise<Page<Client>> => {
      requireIdCursor(cursor);
      const { rows } = await pool.query<ClientRow>(selectClients, [cursor, limit + 1, ids ?? null, patternOf(text)]);
      return pageOf(
        rows.flatMap((row) => clientOf(row) ?? []),
        limit,
        ({ clientId }) => clientId,
      );
    },

    /** Returns a client; undefined for the client of a notification, which has routes of its own. */
    get: async (clientId: string) => {
      const client = await findClient(pool, clientId);
      return client && isNotificationClient(client) ? undefined : client;
    },

    /** Creates a client without a key. Returns undefined if another client has this name. */
    create: ({ clientId, name, definition }: NewClient): Promise<Client | undefined> =>
      unlessNameTaken(undefined, () =>
        inTransaction(pool, async (client) => {
          await moveRevision(client);
          await insertClient(client, { clientId, name, definition });
          return await findClient(client, clientId);
        }),
      ),

    /** Changes a client. If no field differs, no revision changes. @param expected revision; null for any */
    change: (clientId: string, change: ClientChange, expected: number | null): Promise<ClientChanged> =>
      unlessNameTaken({ kind: 'name-taken' as const }, () =>
        inTransaction(pool, async (client) => {
          await lockRevision(client);
          const before = await findClient(client, clientId);
          if (!before) return { kind: 'missing' as const };
          if (expected !== null && expected !== before.revision) return { kind: 'outdated' as const, client: before };
          const { name, definition, enabled, disabledReason } = change;
          const reason = disabledReason === undefined ? before.disabledReason : disabledReason;
          const text = definition ? JSON.stringify(definition) : null;
          const { rowCount } = await client.query(
            update.with({ clientId, name: name ?? null, definition: text, enabled: enabled ?? null, reason }),
          );
          if (rowCount === 0) return { kind: 'changed' as const, client: before };
          await moveRevision(client);
          return { kind: 'changed' as const, client: (await findClient(client, clientId)) ?? before };
        }),
      ),

    /** Deletes a client that is not in use, with everything except the results of its jobs. */
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
        await forgetOutlets(client, [clientId, ...endpoints.map(({ id }) => id)]);
        await client.query(deleteClient, [clientId]);
        await moveRevision(client);
        return { kind: 'removed' };
      }),

    /** Undefined if the client does not exist. No revision changes without an effect. @param auth null removes them */
    setAuth: (clientId: string, auth: StoredClientAuth | null) =>
      changeSecrets(pool, clientId, async (client) => {
        const set = 'update clients set auth = $2 where id = $1 and (auth is not null or $2::jsonb is not null)';
        return (await client.query(set, [clientId, auth && JSON.stringify(auth)])).rowCount === 1;
      }),

    /** Returns undefined if the client does not exist. */
    addKey: (clientId: string, { keyId, sealed, othersExpireAt }: NewClientKey) =>
      changeSecrets(pool, clientId, async (client) => {
        const expire = `update client_keys set expires_at = least(expires_at, $2) where client = $1`;
        if (othersExpireAt) await client.query(expire, [clientId, othersExpireAt]);
        await insertKey(client, clientId, { keyId, sealed });
        return true;
      }),

    /** Deletes a key at once. Returns undefined if the client does not exist. No revision changes without an effect. */
    removeKey: (clientId: string, keyId: string) =>
      changeSecrets(pool, clientId, async (client) => {
        const remove = 'delete from client_keys where client = $1 and id = $2';
        return (await client.query(remove, [clientId, keyId])).rowCount === 1;
      }),
  };
}

/**
 * A change reaches each process within a second. A client disabled in the last 3 seconds counts as enabled, because a
 * process may still accept a job.
 */
const selectUse = `
  select c.enabled or c.updated_at > now() - interval '3 seconds' as "isEnabled",
    (select coalesce(sum(accepted - called - expired - cancelled - dead), 0) from client_totals t where t.client = c.id
      )::float8 as jobs,
    (select count(*) from schedules s where s.client = c.id and s.state not in ('disabled', 'ended'))::int as schedules
  from clients c
  where c.id = $1 and not exists (select from notifications n where n.id = c.id and n.deleted_at is null)`;

const deleteSchedules = 'delete from schedules where client = $1';

const deleteCounts = `
  with t as (delete from client_totals where client = $1), r as (delete from client_fire_rates where client = $1)
  delete from ledger_checks where client = $1`;

const selectEndpoints = 'select id from client_endpoints where client = $1';

/** Deletes circuits and slots that no call uses any more. @param outletIds ids of clients and endpoints */
export async function forgetOutlets(client: PoolClient, outletIds: readonly string[]): Promise<void> {
  await client.query(deleteOutlets, [outletIds]);
}

const deleteOutlets = `
  with h as (delete from host_circuits where client = any($1::uuid[]))
  delete from leases l using unnest($1::uuid[]) k (id) where starts_with(l.name, 'call-slot/' || k.id || '/')`;

/** Deletes the client; the foreign keys delete its keys and endpoints. */
const deleteClient = 'delete from clients where id = $1';

/** Parameters: $1 cursor, $2 limit, $3 ids or null, $4 pattern of the name or null. */
const selectClients = `
  select ${clientFields} from clients c
  where ($1::uuid is null or c.id > $1) and ($3::uuid[] is null or c.id = any($3))
    and ($4::text is null or c.name ilike $4)
    and not exists (select from notifications n where n.id = c.id)
  order by c.id limit $2`;

export async function insertClient(client: PoolClient, { clientId, name, definition }: NewClient): Promise<void> {
  const values = [clientId, name, JSON.stringify(definition)];
  await client.query('insert into clients (id, name, definition) values ($1, $2, $3)', values);
}

/** Serializes changes, so that revisions become visible in order. */
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

export async function insertKey(
  client: PoolClient,
  clientId: string,
  { keyId, sealed }: { keyId: string; sealed: string },
) {
  const insert = 'insert into client_keys (id, client, sealed, created_at) values ($1, $2, $3, clock_timestamp())';
  await client.query(insert, [keyId, clientId, sealed]);
}

/** @param work returns true if it changed anything */
async function changeSecrets(pool: Pool, clientId: string, work: (client: PoolClient) => Promise<boolean>) {
  return await inTransaction(pool, async (client) => {
    await lockRevision(client);
    const before = await findClient(client, clientId);
    if (!before || !(await work(client))) return before;
    await client.query('update clients set revision = revision + 1, updated_at = now() where id = $1', [clientId]);
    await moveRevision(client);
    return await findClient(client, clientId);
  });
}

/** Parameters of an update; null leaves a field unchanged, except for the reason, which becomes null. */
interface ClientUpdate {
  clientId: string;
  name: string | null;
  definition: string | null;
  enabled: boolean | null;
  reason: string | null;
}

const update = statementOf<ClientUpdate>(
  'update-client',
  ($) => `
  update clients c set name = w.name, definition = w.definition, enabled = w.enabled, disabled_reason = w.reason,
    revision = c.revision + 1, updated_at = now()
  from (
    select id, coalesce(${$('name')}, name) as name, coalesce(${$('definition')}::jsonb, definition) as definition,
      coalesce(${$('enabled')}, enabled) as enabled,
      case when coalesce(${$('enabled')}, enabled) then null else ${$('reason')} end as reason
    from clients where id = ${$('clientId')}
  ) w
  where c.id = w.id
    and (c.name, c.definition, c.enabled, c.disabled_reason)
      is distinct from (w.name, w.definition, w.enabled, w.reason)`,
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
