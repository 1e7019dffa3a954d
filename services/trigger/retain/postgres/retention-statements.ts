import { publicListId } from '../../../../shared/postgres/audiences/list-usage.ts';
import type { KeptKind } from '../retention-store.port.ts';

export const tableOf: Record<KeptKind, string> = { users: 'batches', steps: 'batch_steps', failures: 'user_failures' };

/** $1 kind, $2 the table whose weeks decide. Those that leave in its company. */
export const companions = `select name from feed_tables where leaves_with = $1 and name <> $2 order by name`;

/** $1 how many weeks ahead. The function is in the migrations, with the storage settings of each table. */
export const makeWeek = `
  select make_feed_partitions(w.at, w.at) as made from (select now() + $1::int * interval '7 days' as at) w`;

/** $1 the partition. The same week of its companions goes with it. */
export const dropWeek = `select drop_feed_week($1)`;

/**
 * $1 table, $2 days. Weeks that are over, and in which no run has to be kept. The bounds are read out of the catalogue:
 * the names are for people. Steps stay as long as the users of the same week: without its row, a step could be claimed
 * anew.
 */
export const droppableWeeks = `
  select p.name, p.since, p.until
  from (
    select c.relname as name, bound[1]::uuid as since, bound[2]::uuid as until
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    cross join regexp_match(pg_get_expr(c.relpartbound, c.oid), $$FROM \\('(.*)'\\) TO \\('(.*)'\\)$$) bound
    where i.inhparent = to_regclass($1) and bound is not null
  ) p
  where p.until <= feed_floor(now() - $2::int * interval '1 day')
    and not exists (
      select from feeds f join runs r on r.id = f.run
      where f.feed >= p.since and f.feed < p.until and (r.ended_at is null
        or r.ended_at > now() - $2::int * interval '1 day')
    )
    and ($1 <> 'batch_steps' or to_regclass(replace(p.name, 'batch_steps', 'batches')) is null)
  order by p.since`;

const inWeek = 'feed >= $1::uuid and feed < $2::uuid';

/** What goes with a week: $1 and $2 are its bounds. */
export const beforeDropping: Record<KeptKind, readonly string[]> = {
  users: [],
  steps: ['agenda', 'sweep_marks', 'holds', 'step_causes', 'step_begins', 'quarantined_steps'].map(
    (table) => `delete from ${table} where ${inWeek}`,
  ),
  failures: [
    `update runs set failures_kept = false where id in (select run from feeds where ${inWeek}) and failures_kept`,
    `delete from settlements where ${inWeek}`,
    `update settlement_requests set rejects = '[]', cursor_user = null
      where run in (select run from feeds where ${inWeek})`,
  ],
};

const endedLongAgo = `r.ended_at <= now() - $1::int * interval '1 day'`;

/** $1 days, $2 limit. Rows of a table's default partition, by their runs. */
export function deleteStrays(name: string): string {
  const table = `${name}_default`;
  // As with weeks: steps stay as long as their users.
  const unlessUsers =
    name === 'batch_steps'
      ? `and not exists (select from batches b where b.feed = s.feed and b.batch_no = s.batch_no)`
      : '';
  const stray = `
    select s.ctid from feeds f join runs r on r.id = f.run join ${table} s on s.feed = f.feed
      where ${endedLongAgo} ${unlessUsers} limit $2`;
  if (name !== 'user_failures') return `delete from ${table} where ctid = any(array(${stray}))`;
  return `
    with gone as (
      delete from ${table} where ctid = any(array(${stray})) returning feed
    ), s as (
      delete from settlements where feed in (select feed from gone)
    ), r as (
      update runs set failures_kept = false where id in (select run from feeds where feed in (select feed from gone))
        and failures_kept
    )
    select from gone`;
}

/** Of dry runs, in this order: without its row, a step could be claimed as long as its users are there. */
export const dryTables = {
  user_failures: ['feed', 'batch_no', 'step', 'user_id'],
  batches: ['feed', 'batch_no'],
  batch_steps: ['feed', 'batch_no', 'step'],
} as const;

const oldDryRuns = `r.kind = 'dry-run' and r.failures_kept and ${endedLongAgo}`;

/** $1 days, $2 limit. */
export function deleteDryRows(table: keyof typeof dryTables): string {
  const key = dryTables[table].map((column) => `s.${column}`).join(', ');
  return `
    delete from ${table} s using (
      select ${key} from runs r join feeds f on f.run = r.id join ${table} s on s.feed = f.feed where ${oldDryRuns}
      limit $2
    ) k where (${key}) = (${key.replaceAll('s.', 'k.')})`;
}

/** $1 days. Those of which nothing is left are not looked at again. */
export const forgetDryRuns = `
  update runs r set failures_kept = false
  where ${oldDryRuns} and not exists (
    select from feeds f where f.run = r.id and (${Object.keys(dryTables)
      .map((table) => `exists (select from ${table} where feed = f.feed)`)
      .join(' or ')}))`;

/** $1 days, $2 limit. */
export const deleteRuns = `
  with gone as (
    select r.id from runs r where ${endedLongAgo} order by r.ended_at limit $2
  ), f as (
    delete from feeds where run in (select id from gone) returning feed
  ), br as (
    delete from budget_reservations where feed in (select feed from f)
  ), t as (
    delete from run_totals where feed in (select feed from f)
  ), ft as (
    delete from failure_totals where feed in (select feed from f)
  ), a as (
    delete from agenda where feed in (select feed from f)
  ), m as (
    delete from sweep_marks where feed in (select feed from f)
  ), h as (
    delete from holds where feed in (select feed from f)
  ), sr as (
    delete from settlement_requests where run in (select id from gone)
  ), st as (
    delete from settlements where feed in (select feed from f)
  ), c as (
    delete from step_causes where feed in (select feed from f)
  ), rt as (
    delete from receipt_totals where feed in (select feed from f)
  ), sb as (
    delete from step_begins where feed in (select feed from f)
  ), q as (
    delete from quarantined_steps where feed in (select feed from f)
  ), e as (
    delete from run_events where run in (select id from gone)
  ), n as (
    delete from run_points where run in (select id from gone)
  ), o as (
    delete from run_troubles where run in (select id from gone)
  ), p as (
    delete from run_paces where run in (select id from gone)
  ), r as (
    delete from runs where id in (select id from gone) returning id
  )
  select count(*)::int as deleted from r`;

/** $1 days, $2 limit. */
export const deleteAnswers = `
  delete from idempotency_keys where ctid = any(array(
    select ctid from idempotency_keys where created_at <= now() - $1::int * interval '1 day' limit $2))`;

/** $1 days, $2 limit. */
export const deleteDeadLetters = `
  delete from dead_letters where ctid = any(array(
    select ctid from dead_letters where created_at <= now() - $1::int * interval '1 day' limit $2))`;

/** $1 days. The oldest first. Those that a saved audience names are not asked for again and again. */
export const oldAudiences = `
  select id from audiences a
  where created_at <= now() - $1::int * interval '1 day' and state <> 'receiving' and not exists (
    select from named_audiences where kind = 'list' and source = ${publicListId('a.id')} and saved_audiences > 0
  )
  order by created_at`;

/** An upload says every ten seconds that rows still come, unless its sender pauses. */
export const failLostUploads = `
  update audiences set state = 'failed', bytes = 0, cause = 'nothing was heard of the upload for fifteen minutes'
  where state = 'receiving' and received_at < now() - interval '15 minutes'`;

/** Their replacements go with them; people that an upload has added stay, and it says how many they are. */
export const failLostSuppressionUploads = `
  with u as (
    update suppression_uploads set state = 'failed', ended_at = now(),
      cause = 'nothing was heard of the upload for fifteen minutes'
    where state = 'receiving' and heard_at < now() - interval '15 minutes' returning list_no
  ), n as (
    update suppression_numbers set state = 'gone' where state = 'loading' and list_no in (select list_no from u)
  )
  select from u`;

/** $1 limit. People of lists that others have taken the place of. */
export const deleteReplacedPeople = `
  delete from suppressed_people where (list_no, user_id) in (
    select p.list_no, p.user_id from suppression_numbers n
    cross join lateral (select list_no, user_id from suppressed_people where list_no = n.list_no limit $1) p
    where n.state = 'gone' limit $1
  )`;

/** $1 days, 30 at least, $2 limit. The log is the owner's: a function of the migrations cuts it. */
export const deleteChanges = `select from cut_audit($1::int, $2::int)`;

/** $1 limit. */
export const deleteSessions = `
  delete from sessions where digest in (select digest from sessions where least(idle_until, expires_at) <= now()
    limit $1)`;

/** $1 limit. */
export const deleteSessionLinks = `
  delete from session_links where digest in (select digest from session_links where expires_at <= now() limit $1)`;
