import type { Pool, PoolClient } from 'pg';
import { v7 as uuidv7, validate } from 'uuid';
import { z } from 'zod';
import { keptDefaultTerms, type DefaultTerms } from '../../../../shared/contracts/jobs/endpoint-terms.ts';
import {
  maxNotifications,
  notificationDefinition,
  type NotificationDefinition,
} from '../../../../shared/contracts/notifications/notifications.ts';
import { notificationClientName } from '../../../../shared/domain/job/notification-clients.ts';
import { unnamedStatementOf } from '../../../../shared/postgres/connection/statement.ts';
import { inTransaction } from '../../../../shared/postgres/connection/transaction.ts';
import { insertClient, lockRevision, moveRevision } from '../../clients/postgres/client-store.ts';
import { insertKey } from '../../clients/postgres/endpoint-store.ts';
import { notificationClient } from '../notification-terms.ts';
import { InvalidCursorError, type Page } from '../../frame/page.port.ts';
import { pageOf } from '../../frame/postgres/pages.ts';

export interface NewNotification {
  notificationId: string;
  account: string;
  urlSetBy: string;
  url: string;
  definition: NotificationDefinition;
  /** Terms of the notification's calls: those of the endpoint `default` of its client. */
  terms: DefaultTerms;
  /** Signing key; null if messages are not signed. */
  key: { keyId: string; sealed: string } | null;
}

export interface NotificationChange extends Pick<NotificationRecord, 'url' | 'definition' | 'terms'> {
  /** Id of the key that set the URL. Undefined leaves the URL unchanged. */
  urlSetBy: string | undefined;
}

export interface NotificationRecord {
  notificationId: string;
  /** Revision of the notification's client, which increases with every change. */
  revision: number;
  account: string | null;
  url: string;
  definition: NotificationDefinition;
  terms: DefaultTerms;
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

export type NotificationStore = ReturnType<typeof createNotificationStore>;

/** Creates the store of notifications. Each notification is written together with its client in one transaction. */
export function createNotificationStore({ pool }: { pool: Pool }) {
  return {
    /** Returns the notifications of an account, oldest first. An undefined account means all accounts. */
    list: async (account: string | undefined): Promise<NotificationRecord[]> => {
      const { rows } = await pool.query<NotificationRow>(
        `${selectNotifications} and ($1::uuid is null or n.account = $1) order by n.id`,
        [account],
      );
      return rows.map(recordOf);
    },

    get: (notificationId: string) => find(pool, notificationId),

    /** Creates a notification. Returns false if the maximum number of notifications exists. */
    create: ({ notificationId, account, urlSetBy, url, definition, terms, key }: NewNotification): Promise<boolean> =>
      inTransaction(pool, async (client) => {
        await lockRevision(client);
        const { rows } = await client.query<{ notifications: number }>(countNotifications);
        if ((rows[0]?.notifications ?? 0) >= maxNotifications) return false;
        await insertClient(client, {
          clientId: notificationId,
          name: notificationClientName(notificationId),
          definition: notificationClient,
          // The endpoint has no URL. The URL is stored encrypted with the notification, and copied to each delivery.
          endpoint: { url: null, terms },
        });
        if (key) await insertKey(client, notificationId, key);
        const row = { notificationId, account, urlSetBy, url, definition: JSON.stringify(definition) };
        await client.query(insertNotification.with(row));
        await client.query(setEnabled, [notificationId, definition.enabled]);
        await moveRevision(client);
        return true;
      }),

    /** Changes a notification. Returns undefined if it was deleted or has another revision. */
    change: (
      { notificationId, revision }: NotificationRecord,
      { url, urlSetBy, definition, terms }: NotificationChange,
    ): Promise<NotificationRecord | undefined> =>
      inTransaction(pool, async (client) => {
        await lockRevision(client);
        const values = [notificationId, revision, JSON.stringify(terms), definition.enabled];
        if ((await client.query(updateTerms, values)).rowCount !== 1) return undefined;
        await client.query(updateNotification, [notificationId, url, JSON.stringify(definition), urlSetBy ?? null]);
        await client.query(digestIsDue, [notificationId]);
        await moveRevision(client);
        return await find(client, notificationId);
      }),

    /** Deletes a notification and stops its deliveries. Its client stays disabled until no job of it is stored. */
    remove: (notificationId: string): Promise<boolean> =>
      inTransaction(pool, async (client) => {
        await lockRevision(client);
        if ((await client.query(markDeleted, [notificationId])).rowCount !== 1) return false;
        await client.query(setEnabled, [notificationId, false]);
        await client.query(forgetEvents);
        await moveRevision(client);
        return true;
      }),

    /**
     * Returns deleted notifications whose clients can be deleted. Until then, dead deliveries belong to the account.
     */
    deleted: async (): Promise<string[]> => {
      const { rows } = await pool.query<{ id: string }>(selectDeleted);
      return rows.map(({ id }) => id);
    },

    /** Sends a test event to this notification only. Returns the event's id. */
    test: async (notificationId: string): Promise<string> => {
      const eventId = uuidv7();
      await pool.query(insertTest, [eventId, notificationId]);
      return eventId;
    },

    /**
     * Returns deliveries, newest first.
     * @throws {InvalidCursorError} if the cursor is invalid
     */
    deliveries: async (
      notificationId: string,
      outcome: string | null,
      limit: number,
      cursor: string | null,
    ): Promise<Page<DeliveryRecord>> => {
      const [us, jobId] = placeOf(cursor);
      const { rows } = await pool.query<DeliveryRecord & { place: string }>(
        selectDeliveries.with({ notificationId, outcome, us, jobId, limit: limit + 1 }),
      );
      return pageOf(rows, limit, ({ place }) => place);
    },
  };
}

interface NotificationRow extends Omit<NotificationRecord, 'definition' | 'terms'> {
  definition: unknown;
  terms: unknown;
}

function recordOf({ definition, terms, ...row }: NotificationRow): NotificationRecord {
  return { ...row, definition: notificationDefinition.parse(definition), terms: keptDefaultTerms.parse(terms) };
}

async function find(connection: Pool | PoolClient, notificationId: string): Promise<NotificationRecord | undefined> {
  const { rows } = await connection.query<NotificationRow>(`${selectNotifications} and n.id = $1`, [notificationId]);
  return rows[0] && recordOf(rows[0]);
}

const place = z.tuple([z.string().regex(/^\d{1,17}$/), z.string().refine((id) => validate(id))]);

/**
 * Decodes a cursor.
 * @throws {InvalidCursorError} if it is invalid
 */
function placeOf(cursor: string | null): readonly [string | null, string | null] {
  if (cursor === null) return [null, null];
  const read = place.safeParse(cursor.split('_'));
  if (!read.success) throw new InvalidCursorError(`${JSON.stringify(cursor)} is not a cursor of this list`);
  return read.data;
}

const selectNotifications = `
  select n.id as "notificationId", c.revision, n.account, n.url, n.definition, d.definition as terms,
    coalesce(t.waiting, 0)::float8 as waiting,
    (select count(*) from dead_jobs d where d.client = n.id)::int as dead,
    (select jsonb_build_object('at', to_char(e.ended_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'event', e.tags[1], 'status', e.status)
      from ended_jobs e where e.client = n.id and e.outcome = 'called' order by e.ended_at desc limit 1) as "lastSent",
    n.created_at as "createdAt"
  from notifications n join clients c on c.id = n.id join client_endpoints d on d.id = n.id
  left join lateral (
    select sum(accepted - called - expired - cancelled - dead) as waiting from client_totals where client = n.id
  ) t on true
  where n.deleted_at is null`;

const countNotifications = 'select count(*)::int as notifications from notifications where deleted_at is null';

const insertNotification = unnamedStatementOf<
  Pick<NewNotification, 'notificationId' | 'account' | 'urlSetBy' | 'url'> & { definition: string }
>(
  ($) => `
  insert into notifications (id, account, url_set_by, url, definition)
  values (${$('notificationId')}::uuid, ${$('account')}::uuid, ${$('urlSetBy')}::uuid, ${$('url')},
    ${$('definition')}::jsonb)`,
);

const setEnabled = `
  with d as (
    update client_endpoints set enabled = $2,
      disabled_reason = case when $2 then null else 'its notification is off' end, revision = revision + 1,
      updated_at = now()
    where id = $1 and enabled <> $2 returning id
  )
  update clients set revision = revision + (select count(*) from d), updated_at = now() where id = $1`;

const updateTerms = `
  with c as (
    update clients set revision = revision + 1, updated_at = now()
    where id = $1 and revision = $2 and exists (select from notifications n where n.id = $1 and n.deleted_at is null)
    returning id
  )
  update client_endpoints set definition = $3::jsonb, enabled = $4,
    disabled_reason = case when $4 then null else 'its notification is off' end, revision = revision + 1,
    updated_at = now()
  where id in (select id from c)`;

const updateNotification = `
  update notifications set url = $2, definition = $3::jsonb, url_set_by = coalesce($4, url_set_by) where id = $1`;

/** Makes the current digest due, so that events that were collected under the previous terms are sent now. */
const digestIsDue = 'update notification_digests set due_at = now() where notification = $1';

const markDeleted = 'update notifications set deleted_at = now() where id = $1 and deleted_at is null';

const selectDeleted = `
  select n.id from notifications n
  where n.deleted_at is not null and not exists (select from dead_jobs d where d.client = n.id)`;

/** Deletes the stored events if there is no notification that could send them. */
const forgetEvents = `
  delete from notification_events where not exists (select from notifications where deleted_at is null)`;

const insertTest = `
  insert into notification_events (id, kind, at, notification) values ($1, 'notification.test', now(), $2)`;

interface DeliveriesParams {
  notificationId: string;
  /** Result of the deliveries; null matches any. */
  outcome: string | null;
  us: string | null;
  jobId: string | null;
  limit: number;
}

/**
 * Lists deliveries. A dead delivery is listed only while it can be resent. After that, it is listed with its later
 * result.
 */
const selectDeliveries = unnamedStatementOf<DeliveriesParams>(
  ($) => `
  select e.id as "jobId", e.tags[1] as event, e.outcome, e.ended_at as at, e.attempt, e.status, e.error,
    (extract(epoch from e.ended_at) * 1000000)::int8::text || '_' || e.id::text as place
  from ended_jobs e
  where e.client = ${$('notificationId')}::uuid
    and (${$('outcome')}::text is null or e.outcome = ${$('outcome')})
    and (e.outcome <> 'dead' or exists (select from dead_jobs d where d.id = e.id))
    and (${$('us')}::int8 is null
      or (e.ended_at, e.id) < (timestamptz 'epoch' + ${$('us')}::int8 * interval '1 microsecond', ${$('jobId')}::uuid))
  order by e.ended_at desc, e.id desc limit ${$('limit')}::int`,
);
