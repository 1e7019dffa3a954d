import { publicListId } from '../../../../shared/postgres/audiences/list-usage.ts';
import type { KeptKind } from '../../ports/retention-store.ts';

const isUncounted = (run: string) => `${run}.receipts_state in ('open', 'closed')`;

const hasReceipts = (run: string, ofFeeds = 'true') => `
  exists (select from feeds g join receipt_totals t on t.feed = g.feed where g.run = ${run}.id and ${ofFeeds})`;

/** Condition that the run has receipts that are not counted yet, or that the API still accepts receipts for it. */
const isUncountedWithReceipts = (run: string) => `(${isUncounted(run)} and ${hasReceipts(run)})`;

/** Lists the tables of a kind of rows. $1: kind. */
export const tablesOf = `select name from feed_tables where retention_class = $1 order by name`;

/** Returns one day more than the longest cap in force counts, so that a day of any time zone has ended. */
export const effectDays = `select coalesce(max(days), 0) + 1 as days from caps`;

/**
 * Lists the partitions of past weeks in which no run must be kept. $1: kind, $2: days. The bounds of a week are read
 * from Postgres's catalogue, because the partitions' names are only meant for people. Steps are kept as long as a
 * partition contains users of the same week: a step whose row is missing could be claimed again. Receipts are kept
 * until all runs of the week are closed and counted. Failures are kept until the runs with receipts are counted,
 * because the count needs both.
 */
export const droppableWeeks = `
  select p.name, p.since, p.until
  from (
    select c.relname as name, bound[1]::uuid as since, bound[2]::uuid as until
    from feed_tables t
    join pg_inherits i on i.inhparent = to_regclass(t.name)
    join pg_class c on c.oid = i.inhrelid
    cross join regexp_match(pg_get_expr(c.relpartbound, c.oid), $$FROM \\('(.*)'\\) TO \\('(.*)'\\)$$) bound
    where t.retention_class = $1 and bound is not null
  ) p
  where p.until <= min_feed_id(now() - $2::int * interval '1 day')
    and not exists (
      select from feeds f join runs r on r.id = f.run
      where f.feed >= p.since and f.feed < p.until and (r.ended_at is null
        or r.ended_at > now() - $2::int * interval '1 day')
    )
    and ($1 not in ('receipts', 'failures') or not exists (
      select from feeds f join runs r on r.id = f.run
      where f.feed >= p.since and f.feed < p.until and ${isUncounted('r')}
        and ($1 = 'receipts' or exists (select from receipt_totals t where t.feed = f.feed))
    ))
    and ($1 <> 'steps' or to_regclass('batches' || right(p.name, 9)) is null
      and not exists (select from batches_default b where b.feed >= p.since and b.feed < p.until))
  order by p.since, p.name`;

const inWeek = 'feed >= $1::uuid and feed < $2::uuid';

/**
 * Marks the runs of a week before its rows are dropped. $1 and $2: bounds of the week. Settlements do not change a
 * marked run. A settlement that came before the mark has requested a new count, so the caller checks the week again
 * after the mark.
 */
export const marksBeforeDropping: Record<KeptKind, readonly string[]> = {
  users: [],
  receipts: [
    `update runs r set receipts_state = 'deleted', receipts_since = now()
      where id in (select run from feeds where ${inWeek}) and receipts_state = 'counted' and ${hasReceipts('r')}`,
  ],
  steps: [],
  failures: [
    `update runs r set failures_kept = false where id in (select run from feeds where ${inWeek}) and failures_kept
      and not (${isUncounted('r')} and ${hasReceipts('r', 'g.feed >= $1::uuid and g.feed < $2::uuid')})`,
  ],
  effects: [],
};

/**
 * Deletes the rows of a week from tables without weekly partitions, before the partitions of the week are dropped. $1
 * and $2: bounds of the week.
 */
export const beforeDropping: Record<KeptKind, readonly string[]> = {
  users: [],
  receipts: [],
  steps: ['agenda', 'sweep_marks', 'holds', 'step_causes', 'step_call_starts', 'quarantined_steps'].map(
    (table) => `delete from ${table} where ${inWeek}`,
  ),
  failures: [
    `delete from settlements where ${inWeek}`,
    `update settlement_requests set rejects = '[]', cursor_user = null
      where run in (select run from feeds where ${inWeek})`,
  ],
  effects: [],
};

const endedLongAgo = `r.ended_at <= now() - $1::int * interval '1 day'`;

/** Closes the receipts of runs that ended more than $1 days ago. $2: limit. */
export const closeReceipts = `
  update runs set receipts_state = 'closed', receipts_since = now()
  where id in (
    select id from runs where receipts_state = 'open' and ended_at <= now() - $1::int * interval '1 day'
    order by ended_at limit $2
  )`;

/** Tables that the count of receipts reads. */
const countedTables: readonly string[] = ['receipts', 'user_failures'];

/**
 * Returns the statement that deletes old rows from a table's default partition. $1: days since the end of their run,
 * $2: limit. For tables that the count of receipts reads, the statement locks the runs. A settlement may request a new
 * count at the same time; of the two transactions, the later one sees what the earlier one has written.
 */
export function deleteStrays(name: string): string {
  const table = `${name}_default`;
  const isCounted = countedTables.includes(name);
  const ifCounted = isCounted ? `and not ${isUncountedWithReceipts('r')}` : '';
  // As when weeks are dropped, steps are kept as long as their users.
  const unlessUsers =
    name === 'batch_steps'
      ? `and not exists (select from batches b where b.feed = s.feed and b.batch_no = s.batch_no)`
      : '';
  const stray = `
    select s.ctid from feeds f join runs r on r.id = f.run join ${table} s on s.feed = f.feed
      where ${endedLongAgo} ${unlessUsers} ${ifCounted} limit $2
      ${isCounted ? 'for no key update of r' : ''}`;
  if (name === 'receipts') {
    return `
    with gone as (
      delete from ${table} where ctid = any(array(${stray})) returning feed
    ), r as (
      update runs set receipts_state = 'deleted', receipts_since = now()
      where id in (select run from feeds where feed in (select feed from gone)) and receipts_state = 'counted'
    )
    select from gone`;
  }
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

/**
 * Tables with rows of dry runs, in the order of deletion. Steps are deleted after users: while its users exist, a step
 * whose row is missing could be claimed.
 */
export const dryTables = {
  user_failures: ['feed', 'batch_no', 'step', 'user_id'],
  batches: ['feed', 'batch_no'],
  batch_steps: ['feed', 'batch_no', 'step'],
} as const;

const oldDryRuns = `r.kind = 'dry-run' and r.failures_kept and ${endedLongAgo}`;

/** Returns the statement that deletes rows of old dry runs. $1: days, $2: limit. */
export function deleteDryRows(table: keyof typeof dryTables): string {
  const key = dryTables[table].map((column) => `s.${column}`).join(', ');
  return `
    delete from ${table} s using (
      select ${key} from runs r join feeds f on f.run = r.id join ${table} s on s.feed = f.feed where ${oldDryRuns}
      limit $2
    ) k where (${key}) = (${key.replaceAll('s.', 'k.')})`;
}

/** Marks dry runs whose rows are all deleted, so that they are not examined again. $1: days. */
export const forgetDryRuns = `
  update runs r set failures_kept = false
  where ${oldDryRuns} and not exists (
    select from feeds f where f.run = r.id and (${Object.keys(dryTables)
      .map((table) => `exists (select from ${table} where feed = f.feed)`)
      .join(' or ')}))`;

/** Deletes runs that ended more than $1 days ago, with their feeds, events and figures. $2: limit. */
export const deleteRuns = `
  with gone as (
    select r.id from runs r where ${endedLongAgo} and not ${isUncountedWithReceipts('r')}
    order by r.ended_at limit $2
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
    delete from step_call_starts where feed in (select feed from f)
  ), q as (
    delete from quarantined_steps where feed in (select feed from f)
  ), e as (
    delete from run_events where run in (select id from gone)
  ), n as (
    delete from run_progress where run in (select id from gone)
  ), o as (
    delete from run_problems where run in (select id from gone)
  ), p as (
    delete from run_paces where run in (select id from gone)
  ), r as (
    delete from runs where id in (select id from gone) returning id
  )
  select count(*)::int as deleted from r`;

/** Deletes stored answers of the API that are older than $1 days. $2: limit. */
export const deleteAnswers = `
  delete from idempotency_keys where ctid = any(array(
    select ctid from idempotency_keys where created_at <= now() - $1::int * interval '1 day' limit $2))`;

/** Deletes dead letters that are older than $1 days. $2: limit. */
export const deleteDeadLetters = `
  delete from dead_letters where ctid = any(array(
    select ctid from dead_letters where created_at <= now() - $1::int * interval '1 day' limit $2))`;

/**
 * Selects uploaded lists that are older than $1 days. Excludes lists that are marked `is_kept`, and lists that a saved
 * audience uses. These are kept, so every pass would examine them again.
 */
export const oldAudiences = `
  select id from audiences a
  where created_at <= now() - $1::int * interval '1 day' and state <> 'receiving' and not is_kept and not exists (
    select from named_audiences where kind = 'list' and source = ${publicListId('a.id')} and saved_audiences > 0
  )
  order by created_at`;

/**
 * Marks uploads without reports as failed. An upload in progress reports every ten seconds, unless its sender pauses.
 */
export const failLostUploads = `
  update audiences set state = 'failed', bytes = 0, cause = 'the upload made no progress for fifteen minutes'
  where state = 'receiving' and received_at < now() - interval '15 minutes'`;

/**
 * Discards replacements of suppression lists that were not completed. Users that an upload has added stay on the list
 * and in its count.
 */
export const failLostSuppressionUploads = `
  with u as (
    update suppression_uploads set state = 'failed', ended_at = now(),
      cause = 'the upload made no progress for fifteen minutes'
    where state = 'receiving' and received_at < now() - interval '15 minutes' returning list_no
  ), n as (
    update suppression_list_versions set state = 'gone' where state = 'loading' and list_no in (select list_no from u)
  )
  select from u`;

/** Deletes users of suppression lists that were replaced. $1: limit. */
export const deleteReplacedPeople = `
  delete from suppressed_people where (list_no, user_id) in (
    select p.list_no, p.user_id from suppression_list_versions n
    cross join lateral (select list_no, user_id from suppressed_people where list_no = n.list_no limit $1) p
    where n.state = 'gone' limit $1
  )`;

/**
 * Deletes the records of suppression uploads and their rejected rows. $1: days, $2: limit. The users stay on the lists.
 */
export const deleteSuppressionUploads = `
  delete from suppression_uploads where id = any(array(
    select id from suppression_uploads where ended_at <= now() - $1::int * interval '1 day'
    order by ended_at limit $2))`;

/**
 * Deletes the numbers of replaced suppression lists. The highest number is kept, because the next list gets the number
 * after it.
 */
export const deleteReplacedNumbers = `
  delete from suppression_list_versions n
  where state = 'gone' and list_no < (select max(list_no) from suppression_list_versions)
    and not exists (select from suppressed_people p where p.list_no = n.list_no)
    and not exists (select from suppression_uploads u where u.list_no = n.list_no)`;

/**
 * Deletes old entries of the audit log. $1: days (at least 30), $2: limit. The database permits only its function
 * `delete_audit_entries` to delete from the audit log.
 */
export const deleteChanges = `select from delete_audit_entries($1::int, $2::int)`;

/** Deletes expired sessions. $1: limit. */
export const deleteSessions = `
  delete from sessions where digest in (select digest from sessions where least(idle_expires_at, expires_at) <= now()
    limit $1)`;

/** Deletes expired log-in links. $1: limit. */
export const deleteSessionLinks = `
  delete from session_links where digest in (select digest from session_links where expires_at <= now() limit $1)`;
