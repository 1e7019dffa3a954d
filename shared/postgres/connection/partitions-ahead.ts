import type { Pool } from 'pg';
import { onlyRow } from './rows.ts';

export interface PartitionsAhead {
  role: string;
  /** Tables exist for runs that begin before this time, without a gap from this week on. */
  runsUntil: Date;
  /** Tables exist for jobs that end before this time, without a gap from today on. */
  jobsUntil: Date;
  /** Functions that a writer of feeds calls, but this role may not. */
  mayNotCall: string[];
  /** Functions that fail for every caller, because their owner lacks rights. */
  cannot: string[];
}

/**
 * Reads until when tables exist, and whether more can be created. Functions create them with the rights of their owner,
 * who must own the tables too and may create more. The statement looks up some eighty names, whatever the amount of
 * data.
 */
export async function readPartitionsAhead(pool: Pool): Promise<PartitionsAhead> {
  return onlyRow((await pool.query<PartitionsAhead>(selectAhead)).rows);
}

/** Describes until when tables exist. Throws if later tables cannot be created. */
export async function checkPartitionsAhead(pool: Pool): Promise<string> {
  const { role, runsUntil, jobsUntil, mayNotCall, cannot } = await readPartitionsAhead(pool);
  if (mayNotCall.length > 0) throw new Error(`${role} may not call ${mayNotCall.join(' and ')}`);
  if (cannot.length > 0) throw new Error(`the owner of ${cannot.join(' and ')} may not make tables beside its own`);
  return `there until ${dayOf(runsUntil)} for runs and ${dayOf(jobsUntil)} for jobs, and more can be made`;
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}

const selectAhead = `
  with created_by (name, parents) as (values
    ('make_feed_partitions', (select array_agg(to_regclass(name)) from feed_tables)),
    ('make_job_days', array['ended_jobs'::regclass, 'job_attempts'::regclass])
  ), f as (
    select p.oid, p.proname, p.proowner, m.parents
    from created_by m join pg_proc p on p.proname = m.name and p.pronamespace = 'public'::regnamespace
  ), weeks as (
    select date_trunc('week', now() + n * interval '7 days', 'UTC') as at from generate_series(0, 8) n
  ), days as (
    select date_trunc('day', now() + n * interval '1 day', 'UTC') as at from generate_series(0, 8) n
  )
  select current_user::text as role,
    coalesce((select min(at) from weeks where exists (
      select from feed_tables t where to_regclass(t.name || to_char(at at time zone 'UTC', '_YYYYMMDD')) is null
    )), (select max(at) from weeks)) as "runsUntil",
    coalesce((select min(at) from days where exists (
      select from unnest(array['ended_jobs', 'job_attempts']) t (name)
      where to_regclass(t.name || to_char(at at time zone 'UTC', '_YYYYMMDD')) is null
    )), (select max(at) from days)) as "jobsUntil",
    array(select f.proname::text from f where has_table_privilege('batches', 'insert')
      and not has_function_privilege(f.oid, 'execute')) as "mayNotCall",
    array(select f.proname::text from f
      where not has_schema_privilege(f.proowner, 'public', 'create')
        or exists (select from pg_class c where c.oid = any (f.parents)
          and not pg_has_role(f.proowner, c.relowner, 'usage'))) as cannot`;
