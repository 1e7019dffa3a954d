import type { Knex } from 'knex';

/** What a statement that stores jobs asks for after its insert (docs/decisions/0032-accepting-jobs.md). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Volatile, so that its query has a snapshot of its own, taken now: the caller's is as old as the caller's statement. 23505 as of the
    -- unique index, which would have said the same while the job lived. Days to come are there already, and need not be looked at.
    create function refuse_ended_jobs(ids uuid[], since interval) returns void language plpgsql volatile as $$
    begin
      perform from unnest(ids) l (id)
      cross join lateral (
        select from ended_jobs e
        where e.id = l.id and e.ended_at > now() - since and e.ended_at < now() + interval '1 hour' limit 1
      ) e
      limit 1;
      if found then
        raise unique_violation using message = 'a job with the id of one that has ended';
      end if;
    end $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop function refuse_ended_jobs');
}
