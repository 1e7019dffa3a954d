import type { Pool, PoolClient } from 'pg';
import { notificationDefinition } from '../../../shared/contracts/notifications/notifications.ts';
import type { JobToStore } from '../../../shared/ports/job-intake.ts';
import { notifyChange } from '../../../shared/postgres/connection/change-feed.ts';
import { statementOf } from '../../../shared/postgres/connection/statement.ts';
import { inTransaction } from '../../../shared/postgres/connection/transaction.ts';
import { storeJobsWithin, valuesOf } from '../../../shared/postgres/jobs/job-intake.ts';
import { maxDigestLines } from '../notifications/digest.ts';
import type {
  ActiveNotification,
  Digest,
  DigestPart,
  NotificationBounds,
  NotificationEvent,
  NotificationEvents,
} from '../ports/notification-events.ts';

/**
 * Number of the row, among the rows with a client's totals, in which jobs of notifications are counted. No process that
 * accepts jobs uses this number.
 */
const slotOfNotifications = -3;
const callsInStatement = 500;

export function createNotificationEvents({ pool }: { pool: Pool }): NotificationEvents {
  return {
    deliver: (limit, deliveriesFor) =>
      inTransaction(pool, async (client) => {
        const { rows } = await client.query<EventRow>(takeEvents.with({ limit }));
        if (rows.length === 0) return { events: 0, calls: 0 };
        const events = rows.map(eventOf);
        const notifications = await activeNotifications(client);
        const { calls, digestParts } = deliveriesFor(events, notifications);
        for (const digest of digestParts)
          await client.query(addToDigest.with({ ...digest, lines: JSON.stringify(digest.lines) }));
        await store(client, calls);
        await client.query(deleteEvents.with({ events: events.map(({ eventId }) => eventId) }));
        return { events: events.length, calls: calls.length };
      }),

    deliverDigests: (callOf) =>
      inTransaction(pool, async (client) => {
        const { rows } = await client.query<Digest>(takeDigests);
        if (rows.length === 0) return 0;
        const active = await activeNotifications(client);
        const byId = new Map(active.map((notification) => [notification.notificationId, notification]));
        const calls = rows.flatMap((digest) => {
          const notification = byId.get(digest.notificationId);
          return notification ? [callOf(digest, notification)] : [];
        });
        await store(client, calls);
        return calls.length;
      }),

    recordConditions: async (stalledForMs) => {
      await pool.query(forgetStalls);
      const stalled = await pool.query(recordStalls.with({ stalledForMs }));
      const low = await pool.query(recordLowBudgets);
      const ending = await pool.query(recordEndingKeys);
      return (stalled.rowCount ?? 0) + (low.rowCount ?? 0) + (ending.rowCount ?? 0);
    },
  };
}

async function store(client: PoolClient, calls: readonly JobToStore[]): Promise<void> {
  for (let from = 0; from < calls.length; from += callsInStatement) {
    const some = calls.slice(from, from + callsInStatement);
    await client.query(storeJobsWithin.with({ ...valuesOf(some), slot: slotOfNotifications }));
  }
  if (calls.length > 0) await notifyChange('jobs', client);
}

interface EventRow extends Omit<NotificationEvent, 'run'> {
  runId: string | null;
  runState: string;
  scheduledFor: Date;
  startedAt: Date | null;
}

function eventOf({ runId, runState: state, scheduledFor, startedAt, ...event }: EventRow): NotificationEvent {
  return { ...event, run: runId === null ? null : { runId, state, scheduledFor, startedAt } };
}

interface ActiveRow extends Omit<ActiveNotification, 'definition' | 'bounds'> {
  definition: unknown;
  account: string | null;
  scopes: NotificationBounds['scopes'] | null;
}

async function activeNotifications(client: PoolClient): Promise<ActiveNotification[]> {
  const { rows } = await client.query<ActiveRow>(selectActive);
  return rows.flatMap(({ definition, account, scopes, ...row }) => {
    // A newer version of Muster may have stored definitions that this version cannot read.
    const read = notificationDefinition.safeParse(definition);
    const bounds = scopes ? { account, scopes } : undefined;
    return read.success && read.data.enabled ? [{ ...row, bounds, definition: read.data }] : [];
  });
}

/**
 * Lists notifications with their scopes. An account is an API key; its scope still applies after the key was revoked or
 * has expired.
 */
const selectActive = `
  select n.id as "notificationId", n.url, n.definition, n.created_at as "createdAt", n.account,
    (select jsonb_agg(jsonb_build_object('countries', k.countries, 'actionTypes', k.action_types))
      from api_keys k where k.id in (n.account, n.url_set_by)
        and (k.clients is not null or k.countries is not null or k.action_types is not null)) as scopes
  from notifications n where n.deleted_at is null order by n.id`;

/** Takes events. If the rows that an event refers to were deleted meanwhile, the event is taken without their data. */
const takeEvents = statementOf<{ limit: number }>(
  'take-notification-events',
  ($) => `
  select e.id as "eventId", e.kind, e.at, e.notification as "notificationId", e.detail,
    case when c.id is not null then jsonb_build_object('campaignId', c.id, 'name', c.name,
      'owner', c.about ->> 'owner', 'tags', coalesce(c.about -> 'tags', '[]'),
      'countries', coalesce(v.definition -> 'countries', '[]'),
      'actionTypes', coalesce(jsonb_path_query_array(v.definition, '$.chain[*].action'), '[]'),
      'titles', (select coalesce(jsonb_object_agg(t.name, t.config -> 'title'), '{}') from action_types t
        where t.config ? 'title' and jsonb_path_query_array(v.definition, '$.chain[*].action') ? t.name)
      ) end as campaign,
    (select account from api_keys where id = (e.detail #>> '{key,id}')::uuid) as "keyAccount",
    exists (select from schedules where campaign = c.id) as recurs,
    r.id as "runId", r.state as "runState", r.scheduled_for as "scheduledFor", r.started_at as "startedAt",
    case when e.kind in ('run.completed', 'run.cancelled', 'run.expired', 'run.failed') then f.figures end as figures
  from notification_events e
  left join campaigns c on c.id = e.campaign
  left join runs r on r.id = e.run
  left join revisions v on v.campaign = c.id and v.revision = coalesce(r.revision, c.revision)
  left join lateral (
    select jsonb_build_object(
      'audience', (select coalesce(sum(fed_users), 0) from feeds where run = r.id),
      'succeeded',
        coalesce(sum(t.succeeded) filter (where t.step = jsonb_array_length(v.definition -> 'chain')), 0),
      'failed', coalesce(sum(t.failed), 0)) as figures
    from feeds g join run_totals t on t.feed = g.feed where g.run = r.id
  ) f on e.kind in ('run.completed', 'run.cancelled', 'run.expired', 'run.failed')
  order by e.id limit ${$('limit')}::int for update of e skip locked`,
);

/** Adds runs to a digest. Lines are added up to the maximum; further runs are only counted. */
const addToDigest = statementOf<Omit<DigestPart, 'lines'> & { lines: string }>(
  'add-to-digest',
  ($) => `
  insert into notification_digests as d (notification, due_at, runs, audience, completed, failed, lines)
  values (${$('notificationId')}::uuid, ${$('due')}::timestamptz, ${$('runs')}::int, ${$('audience')}::bigint,
    ${$('succeeded')}::bigint, ${$('failed')}::bigint, ${$('lines')}::jsonb)
  on conflict (notification) do update set runs = d.runs + excluded.runs, audience = d.audience + excluded.audience,
    completed = d.completed + excluded.completed, failed = d.failed + excluded.failed,
    lines = case when jsonb_array_length(d.lines) < ${maxDigestLines} then d.lines || excluded.lines else d.lines end`,
);

const takeDigests = `
  delete from notification_digests where notification in (
    select notification from notification_digests where due_at <= now() limit 100 for update skip locked)
  returning id as "digestId", notification as "notificationId", due_at as due, runs, audience::float8,
    completed::float8 as "succeeded", failed::float8, lines`;

const deleteEvents = statementOf<{ events: readonly string[] }>(
  'delete-notification-events',
  ($) => `delete from notification_events where id = any(${$('events')}::uuid[])`,
);

/**
 * Begin and cause of a run's stall. A run stalls if batches wait, or if the users of a feed cannot be read; the
 * condition that began first counts.
 */
const standsSince = `
  left join lateral (
    select since, cause from run_problems where run = r.id and kind = 'feed' order by since limit 1
  ) t on true
  cross join lateral (select least(r.waiting_since, t.since) as since,
    case when t.since < coalesce(r.waiting_since, 'infinity') then t.cause else r.waiting_cause end as cause) k`;

const forgetStalls = `
  update runs set stall_notified_at = null from runs r ${standsSince}
  where runs.id = r.id and r.ended_at is null and r.stall_notified_at is not null
    and (k.since is null or r.state not in ('running', 'preparing'))`;

const recordStalls = statementOf<{ stalledForMs: number }>(
  'record-stalls',
  ($) => `
  with s as (
    select r.id, k.cause, k.since from runs r ${standsSince}
    where r.ended_at is null and r.kind = 'live' and r.state in ('running', 'preparing') and r.stall_notified_at is null
      and k.since < now() - ${$('stalledForMs')}::float8 * interval '1 millisecond'
    limit 500
  ), u as (
    update runs r set stall_notified_at = now() from s
    where r.id = s.id and r.ended_at is null and r.stall_notified_at is null
    returning r.id, r.campaign, s.cause, s.since
  )
  insert into notification_events (id, kind, at, campaign, run, detail)
  select uuid_of_now(), 'run.stalled', now(), campaign, id, jsonb_build_object('cause', cause, 'since', since) from u`,
);

/**
 * Records low budgets of runs that have not ended. When a run ends, the transaction that ends it records its low
 * budgets.
 */
const recordLowBudgets = `
  with o as (
    select distinct b.campaign, b.country from runs r join budgets b on b.campaign = r.campaign
    where r.ended_at is null and b.units > 0 and b.low_notified_units is distinct from b.units
  ), low as (
    select f.campaign, f.country, f.units, f.units - f.used as left_units
    from o join budget_figures f using (campaign, country) where (f.units - f.used) * 10 < f.units
  ), u as (
    update budgets b set low_notified_units = low.units from low
    where b.campaign = low.campaign and b.country = low.country and b.low_notified_units is distinct from low.units
    returning b.campaign, b.country, b.units, b.currency, low.left_units
  )
  insert into notification_events (id, kind, at, campaign, detail)
  select uuid_of_now(), 'budget.low', now(), campaign,
    low_budget(country, units, left_units, currency) from u`;

/**
 * Records API keys that end soon: once 14 days and once 3 days before their end. A key that was created later than 14
 * or 3 days before its end is skipped for that time.
 */
const recordEndingKeys = `
  with e as (
    select id, name, owner, expires_at, created_at, expires_at - case
      when expires_at < now() + interval '3 days' then interval '3 days' else interval '14 days' end as since
    from api_keys
    where expires_at between now() and now() + interval '14 days' and revoked_at is null and issuer is null
  ), u as (
    insert into api_key_expiry_notifications as t (api_key, last_due_at)
    select id, since from e where created_at < since order by id
    on conflict (api_key) do update set last_due_at = excluded.last_due_at where t.last_due_at <> excluded.last_due_at
    returning api_key
  )
  insert into notification_events (id, kind, at, detail)
  select uuid_of_now(), 'key.ending', now(),
    jsonb_build_object('key', jsonb_build_object('id', e.id, 'name', name, 'owner', owner, 'expiresAt', expires_at))
  from u join e on e.id = u.api_key`;
