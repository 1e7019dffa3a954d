import type { Pool, PoolClient } from 'pg';
import { restoredReason } from '../../domain/run/restored-runs.ts';
import { stepState } from '../ledger/ledger-codes.ts';
import { onlyRow } from '../connection/rows.ts';
import { inTransaction } from '../connection/transaction.ts';

/** A run that has not ended, as people have to judge it. */
export interface OpenRun {
  runId: string;
  campaignId: string;
  campaign: string;
  state: string;
  stateReason: string | null;
  hasBegun: boolean;
  /** Contract classes of its chain. */
  classes: (string | null)[];
}

export interface Settled {
  /** Open runs that call endpoints, including those that were paused before. */
  runs: OpenRun[];
  /** Due starts: each is now a paused run, which is among the runs. */
  starts: number;
  /** Number of schedules of campaigns. Occurrences of these schedules before now do not fire. */
  schedules: number;
  /** Valid API keys, including keys that were revoked after the backup. */
  keys: number;
}

/** Returns the connected processes of Muster. Each process that worked on the lost database has to be stopped. */
export async function connectedServices(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(selectSessions);
  return rows.map(({ name }) => name);
}

/**
 * Settles a database that was restored to an earlier moment, before a process works on it. Later activity is unknown,
 * so no run that would serve users continues by itself: runs are paused, due starts become paused runs, and campaigns'
 * schedules do not fire up to now. Claims of processes of the lost database are refused: tokens and epochs are raised
 * above all that can have been granted. May be run again.
 */
export async function settleRestored(pool: Pool, by: string): Promise<Settled> {
  return await inTransaction(pool, async (client) => {
    await client.query(raiseLeases);
    await client.query(raisePartitions);
    await client.query(raiseRegions);
    await client.query(raiseFires);
    await client.query(raiseCounts);
    await client.query(raiseFeeds);
    await client.query(raiseSteps);
    await client.query(pauseRuns, [restoredReason]);
    const starts = onlyRow((await client.query<Count>(holdStarts, [restoredReason])).rows).count;
    const schedules = onlyRow((await client.query<Count>(silenceSchedules)).rows).count;
    await client.query(`update installation set restored_at = now()`);
    const runs = await readOpenRuns(client);
    const keys = onlyRow((await client.query<Count>(countKeys)).rows).count;
    await client.query(insertEntry, [JSON.stringify({ by, runs: runs.length, starts, schedules })]);
    return { runs, starts, schedules, keys };
  });
}

/** @property open runs that were paused by the restore, and that no person has resumed or cancelled */
export interface Restored {
  at: Date;
  open: number;
}

/** Returns undefined if the database was never restored. */
export async function readRestored(pool: Pool): Promise<Restored | undefined> {
  const { rows } = await pool.query<{ at: Date | null; open: number }>(selectRestored, [restoredReason]);
  const { at, open } = onlyRow(rows);
  return at === null ? undefined : { at, open };
}

interface Count {
  count: number;
}

async function readOpenRuns(client: PoolClient): Promise<OpenRun[]> {
  return (await client.query<OpenRun>(selectOpenRuns)).rows;
}

/** Excludes the sandbox and CLI commands, because they do no work for runs and jobs. */
const selectSessions = `
  select distinct application_name as name from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and application_name like 'muster-%'
    and application_name not in ('muster-cli', 'muster-doctor', 'muster-sandbox')
  order by name`;

/**
 * Amount added to tokens and epochs. Owners change less often between two backups, and the columns have room for some
 * thousand restores.
 */
const lifetime = 1_000_000;

const raiseLeases = `update leases set token = token + ${lifetime}`;
const raisePartitions = `update job_partitions set token = token + ${lifetime}`;
const raiseRegions = `update regions set epoch = epoch + ${lifetime}`;
const raiseFires = `update job_claims set epoch = epoch + ${lifetime}`;
const raiseCounts = `update audience_counts set token = token + ${lifetime} where ended_at is null`;
const raiseFeeds = `
  update feeds set token = token + ${lifetime} where run in (select id from runs where ended_at is null)`;

/**
 * Raises epochs of open steps only. A row that is inserted again restarts at its first epoch. If a late result of the
 * lost database matches such a row, the result is the endpoint's answer to the same key.
 */
const raiseSteps = `
  update batch_steps set epoch = epoch + ${lifetime} where state <> ${stepState.done}
    and feed in (select f.feed from feeds f join runs r on r.id = f.run where r.ended_at is null)`;

/** A run that had begun stays `pausing` until, by the present leases, no worker holds one of its steps. */
const pauseRuns = `
  with paused as (
    update runs set state = case when started_at is null then 'paused' else 'pausing' end, state_since = now(),
      state_reason = $1
    where ended_at is null and kind <> 'dry-run' and state in ('preparing', 'running', 'pausing')
    returning id, state
  )
  insert into run_events (run, kind, detail)
  select paused.id, k.kind, k.detail from paused
  join (values (1, 'auto-paused', jsonb_build_object('cause', $1::text)), (2, 'paused', '{}')) k (place, kind, detail)
    on k.place = 1 or paused.state = 'paused'
  order by paused.id, k.place`;

const holdStarts = `
  with gone as (
    delete from run_starts where due_at <= now() returning campaign, revision, due_at
  ), held as (
    insert into runs (id, campaign, revision, scheduled_for, deadline_at, state, state_reason)
    select uuid_of_now(), g.campaign, g.revision, g.due_at,
      g.due_at + (c.definition ->> 'deadlineSeconds')::float8 * interval '1 second', 'paused', $1
    from (select distinct on (campaign, due_at) * from gone order by campaign, due_at) g
    join revisions c on c.campaign = g.campaign and c.revision = g.revision
    on conflict (campaign, scheduled_for) do nothing returning id
  ), told as (
    insert into run_events (run, kind, detail)
    select held.id, k.kind, k.detail from held
    cross join (values (1, 'created', '{}'::jsonb), (2, 'auto-paused', jsonb_build_object('cause', $1::text)),
      (3, 'paused', '{}')) k (place, kind, detail) order by held.id, k.place
  )
  select count(*)::int as count from held`;

/**
 * Also drops buffered occurrences, because their runs, like those of due occurrences, may have begun since the backup.
 */
const silenceSchedules = `
  with silenced as (
    update schedules set skip_until = now(), skip_cause = 'restored', next_check_at = now(), region_next_checks = '{}'
    where campaign is not null and state = 'active' returning id
  ), dropped as (
    delete from occurrences o using schedules s
    where o.schedule = s.id and s.campaign is not null and o.state = 'buffered'
    returning o.schedule, o.group_name, o.scheduled_for
  ), noted as (
    insert into skipped_instants (schedule, group_name, first_at, last_at, instants, cause)
    select schedule, group_name, scheduled_for, scheduled_for, 1, 'restored' from dropped on conflict do nothing
  )
  select count(*)::int as count from silenced`;

const selectOpenRuns = `
  select r.id as "runId", r.campaign as "campaignId", c.name as campaign, r.state, r.state_reason as "stateReason",
    r.started_at is not null as "hasBegun",
    array(
      select t.config ->> 'class' from jsonb_array_elements(v.definition -> 'chain') with ordinality s (step, place)
      left join action_types t on t.name = s.step ->> 'action' order by s.place
    ) as classes
  from runs r join campaigns c on c.id = r.campaign
  join revisions v on v.campaign = r.campaign and v.revision = r.revision
  where r.ended_at is null and r.kind <> 'dry-run' order by r.id`;

const countKeys = `
  select count(*)::int as count from api_keys
  where revoked_at is null and (expires_at is null or expires_at > now())`;

const insertEntry = `select append_audit(null, 'POST', '/restored', null, 200::int2, '', $1::jsonb)`;

const selectRestored = `
  select restored_at as at, (
    select count(*)::int from runs
    where ended_at is null and state in ('pausing', 'paused') and state_reason = $1
  ) as open from installation`;
