import type { Pool, PoolClient } from 'pg';
import { v7 as uuidv7, validate } from 'uuid';
import { z } from 'zod';
import { keptClientDefinition, type ClientDefinition } from '../../../../shared/contracts/jobs/clients.ts';
import {
  maxWebhooks,
  webhookDefinition,
  type WebhookDefinition,
} from '../../../../shared/contracts/webhooks/webhooks.ts';
import { webhookClientName } from '../../../../shared/domain/job/webhook-clients.ts';
import { unnamedStatementOf } from '../../../../shared/postgres/connection/statement.ts';
import { inTransaction } from '../../../../shared/postgres/connection/transaction.ts';
import { insertClient, insertKey, lockRevision, moveRevision } from '../../clients/postgres/client-store.ts';
import { InvalidCursorError, type Page } from '../../frame/page.port.ts';
import { pageOf } from '../../frame/postgres/pages.ts';

export interface NewWebhook {
  webhookId: string;
  account: string;
  urlSetBy: string;
  url: string;
  definition: WebhookDefinition;
  client: ClientDefinition;
  /** Null if notices are not signed. */
  key: { keyId: string; sealed: string } | null;
}

export interface WebhookChange extends Pick<WebhookRecord, 'url' | 'definition' | 'client'> {
  /** Id of the key that set the URL. Undefined if the URL stays. */
  urlSetBy: string | undefined;
}

export interface WebhookRecord {
  webhookId: string;
  /** Revision of the webhook's client, which increases with every change. */
  revision: number;
  account: string | null;
  url: string;
  definition: WebhookDefinition;
  client: ClientDefinition;
  waiting: number;
  dead: number;
  lastSent: { at: string; event: string | null; status: number | null } | null;
  createdAt: Date;
}

export interface DeliveryRecord {
  jobId: string;
  event: string | null;
  outcome: string;
  at: Date;
  attempt: number;
  status: number | null;
  error: string | null;
}

export type WebhookStore = ReturnType<typeof createWebhookStore>;

/** Store of webhooks; each is written together with its client in one transaction. */
export function createWebhookStore({ pool }: { pool: Pool }) {
  return {
    /** Undefined lists webhooks of all accounts. */
    list: async (account: string | undefined): Promise<WebhookRecord[]> => {
      const { rows } = await pool.query<WebhookRow>(
        `${selectWebhooks} and ($1::uuid is null or w.account = $1) order by w.id`,
        [account],
      );
      return rows.map(recordOf);
    },

    get: (webhookId: string) => find(pool, webhookId),

    /** Returns false if the maximum number of webhooks exists. */
    create: ({ webhookId, account, urlSetBy, url, definition, client: terms, key }: NewWebhook): Promise<boolean> =>
      inTransaction(pool, async (client) => {
        await lockRevision(client);
        const { rows } = await client.query<{ webhooks: number }>(countWebhooks);
        if ((rows[0]?.webhooks ?? 0) >= maxWebhooks) return false;
        await insertClient(client, { clientId: webhookId, name: webhookClientName(webhookId), definition: terms });
        if (key) await insertKey(client, webhookId, key);
        const row = { webhookId, account, urlSetBy, url, definition: JSON.stringify(definition) };
        await client.query(insertWebhook.with(row));
        await client.query(setEnabled, [webhookId, definition.enabled]);
        await moveRevision(client);
        return true;
      }),

    /** Returns undefined if the webhook was deleted or has another revision. */
    change: (
      { webhookId, revision }: WebhookRecord,
      { url, urlSetBy, definition, client: terms }: WebhookChange,
    ): Promise<WebhookRecord | undefined> =>
      inTransaction(pool, async (client) => {
        await lockRevision(client);
        const values = [webhookId, revision, JSON.stringify(terms), definition.enabled];
        if ((await client.query(updateClient, values)).rowCount !== 1) return undefined;
        await client.query(updateWebhook, [webhookId, url, JSON.stringify(definition), urlSetBy ?? null]);
        await client.query(digestIsDue, [webhookId]);
        await moveRevision(client);
        return await find(client, webhookId);
      }),

    /** Stops all notices. The client stays disabled until its stored jobs are gone. */
    remove: (webhookId: string): Promise<boolean> =>
      inTransaction(pool, async (client) => {
        await lockRevision(client);
        if ((await client.query(markDeleted, [webhookId])).rowCount !== 1) return false;
        await client.query(setEnabled, [webhookId, false]);
        await client.query(forgetEvents);
        await moveRevision(client);
        return true;
      }),

    /** Returns deleted webhooks whose clients can be deleted. Until then a dead notice belongs to the account. */
    deleted: async (): Promise<string[]> => {
      const { rows } = await pool.query<{ id: string }>(selectDeleted);
      return rows.map(({ id }) => id);
    },

    /** Sends a test event to this webhook only. Returns the event's id. */
    test: async (webhookId: string): Promise<string> => {
      const eventId = uuidv7();
      await pool.query(insertTest, [eventId, webhookId]);
      return eventId;
    },

    /**
     * Returns deliveries, newest first.
     * @throws {InvalidCursorError}
     */
    deliveries: async (
      webhookId: string,
      outcome: string | null,
      limit: number,
      cursor: string | null,
    ): Promise<Page<DeliveryRecord>> => {
      const [us, jobId] = placeOf(cursor);
      const { rows } = await pool.query<DeliveryRecord & { place: string }>(
        selectDeliveries.with({ webhookId, outcome, us, jobId, limit: limit + 1 }),
      );
      return pageOf(rows, limit, ({ place }) => place);
    },
  };
}

interface WebhookRow extends Omit<WebhookRecord, 'definition' | 'client'> {
  definition: unknown;
  client: unknown;
}

function recordOf({ definition, client, ...row }: WebhookRow): WebhookRecord {
  return { ...row, definition: webhookDefinition.parse(definition), client: keptClientDefinition.parse(client) };
}

async function find(connection: Pool | PoolClient, webhookId: string): Promise<WebhookRecord | undefined> {
  const { rows } = await connection.query<WebhookRow>(`${selectWebhooks} and w.id = $1`, [webhookId]);
  return rows[0] && recordOf(rows[0]);
}

const place = z.tuple([z.string().regex(/^\d{1,17}$/), z.string().refine((id) => validate(id))]);

/** @throws {InvalidCursorError} */
function placeOf(cursor: string | null): readonly [string | null, string | null] {
  if (cursor === null) return [null, null];
  const read = place.safeParse(cursor.split('_'));
  if (!read.success) throw new InvalidCursorError(`${JSON.stringify(cursor)} is no place to go on from`);
  return read.data;
}

const selectWebhooks = `
  select w.id as "webhookId", c.revision, w.account, w.url, w.definition, c.definition as client,
    coalesce(t.waiting, 0)::float8 as waiting,
    (select count(*) from dead_jobs d where d.client = w.id)::int as dead,
    (select jsonb_build_object('at', to_char(e.ended_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'event', e.tags[1], 'status', e.status)
      from ended_jobs e where e.client = w.id and e.outcome = 'called' order by e.ended_at desc limit 1) as "lastSent",
    w.created_at as "createdAt"
  from webhooks w join clients c on c.id = w.id
  left join lateral (
    select sum(accepted - called - expired - cancelled - dead) as waiting from client_totals where client = w.id
  ) t on true
  where w.deleted_at is null`;

const countWebhooks = 'select count(*)::int as webhooks from webhooks where deleted_at is null';

const insertWebhook = unnamedStatementOf<
  Pick<NewWebhook, 'webhookId' | 'account' | 'urlSetBy' | 'url'> & { definition: string }
>(
  ($) => `
  insert into webhooks (id, account, url_set_by, url, definition)
  values (${$('webhookId')}::uuid, ${$('account')}::uuid, ${$('urlSetBy')}::uuid, ${$('url')},
    ${$('definition')}::jsonb)`,
);

const setEnabled = `
  update clients set enabled = $2, disabled_reason = case when $2 then null else 'its webhook is off' end,
    revision = revision + case when enabled = $2 then 0 else 1 end, updated_at = now()
  where id = $1`;

const updateClient = `
  update clients set definition = $3::jsonb, enabled = $4,
    disabled_reason = case when $4 then null else 'its webhook is off' end, revision = revision + 1, updated_at = now()
  where id = $1 and revision = $2 and exists (select from webhooks w where w.id = $1 and w.deleted_at is null)`;

const updateWebhook = `
  update webhooks set url = $2, definition = $3::jsonb, url_set_by = coalesce($4, url_set_by) where id = $1`;

/** Events collected under previous terms are sent now. */
const digestIsDue = 'update webhook_digests set due = now() where webhook = $1';

const markDeleted = 'update webhooks set deleted_at = now() where id = $1 and deleted_at is null';

const selectDeleted = `
  select w.id from webhooks w
  where w.deleted_at is not null and not exists (select from dead_jobs d where d.client = w.id)`;

/** Events are dropped while there is no webhook. */
const forgetEvents = `
  delete from webhook_events where not exists (select from webhooks where deleted_at is null)`;

const insertTest = `
  insert into webhook_events (id, kind, at, webhook) values ($1, 'webhook.test', now(), $2)`;

interface DeliveriesParams {
  webhookId: string;
  /** Null matches any outcome. */
  outcome: string | null;
  us: string | null;
  jobId: string | null;
  limit: number;
}

/** Lists a dead delivery only while it can be resent; a resent one appears with its later outcome. */
const selectDeliveries = unnamedStatementOf<DeliveriesParams>(
  ($) => `
  select e.id as "jobId", e.tags[1] as event, e.outcome, e.ended_at as at, e.attempt, e.status, e.error,
    (extract(epoch from e.ended_at) * 1000000)::int8::text || '_' || e.id::text as place
  from ended_jobs e
  where e.client = ${$('webhookId')}::uuid
    and (${$('outcome')}::text is null or e.outcome = ${$('outcome')})
    and (e.outcome <> 'dead' or exists (select from dead_jobs d where d.id = e.id))
    and (${$('us')}::int8 is null
      or (e.ended_at, e.id) < (timestamptz 'epoch' + ${$('us')}::int8 * interval '1 microsecond', ${$('jobId')}::uuid))
  order by e.ended_at desc, e.id desc limit ${$('limit')}::int`,
);
