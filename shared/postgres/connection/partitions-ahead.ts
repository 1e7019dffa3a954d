import type { Pool } from 'pg';

interface PartitionState {
  role: string;
  weekIsThere: boolean;
  /** Functions that who writes feeds calls, and this role may not. */
  mayNotCall: string[];
  /** Functions that could not do it for any caller. */
  cannot: string[];
}

/**
 * Says whether the tables of next week are there, and throws where they, or those after them, could not be made: they
 * are made by functions with the rights of their owner, who has to own the tables as well and may make more.
 */
export async function lookAtPartitionsAhead(pool: Pool): Promise<string> {
  const { rows } = await pool.query<PartitionState>(`
    with made_by (name, parents) as (values
      ('make_feed_partitions', (select array_agg(to_regclass(name)) from feed_tables)),
      ('make_job_days', array['ended_jobs'::regclass, 'job_attempts'::regclass])
    ), f as (
      select p.oid, p.proname, p.proowner, m.parents
      from made_by m join pg_proc p on p.proname = m.name and p.pronamespace = 'public'::regnamespace
    )
    select current_user::text as role,
      to_regclass('batches_' || to_char(date_trunc('week', now() + interval '7 days', 'UTC') at time zone 'UTC',
        'YYYYMMDD')) is not null as "weekIsThere",
      array(select f.proname::text from f where has_table_privilege('batches', 'insert')
        and not has_function_privilege(f.oid, 'execute')) as "mayNotCall",
      array(select f.proname::text from f
        where not has_schema_privilege(f.proowner, 'public', 'create')
          or exists (select from pg_class c where c.oid = any (f.parents)
            and not pg_has_role(f.proowner, c.relowner, 'usage'))) as cannot`);
  const [state] = rows;
  if (!state) throw new Error('the database says nothing of them');
  const { role, weekIsThere, mayNotCall, cannot } = state;
  if (mayNotCall.length > 0) throw new Error(`${role} may not call ${mayNotCall.join(' and ')}`);
  if (cannot.length > 0) throw new Error(`the owner of ${cannot.join(' and ')} may not make tables beside its own`);
  return `next week's ${weekIsThere ? 'are there' : 'are made by the next trigger'}, and more can be made`;
}
