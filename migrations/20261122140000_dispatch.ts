import type { Knex } from 'knex';

/** Who looks at which partition of jobs, who calls, and which hosts are left alone (docs/decisions/0030-looking-offering-calling.md). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Where jobs are offered and called. The epoch moves with every switch: claims made under an older one are refused.
    create table regions (
      name text primary key,
      epoch int8 not null default 1,
      active boolean not null default true,
      reason text,
      changed_at timestamptz not null default now()
    );
    insert into regions (name) values ('local');

    -- Schedulers and dispatchers that are alive. Figures are for people and for the pace of offers; nothing is decided by them alone.
    create table job_nodes (
      owner text primary key,
      kind text not null,
      region text not null,
      started_at timestamptz not null default now(),
      expires_at timestamptz not null,
      figures jsonb not null default '{}'
    );

    -- Which scheduler is to look at a partition (the leader says it), and which does (its lease). The token only grows.
    create table job_partitions (
      partition_id int2 primary key,
      wanted text,
      owner text,
      token int8 not null default 0,
      since timestamptz,
      expires_at timestamptz
    );
    insert into job_partitions (partition_id) select generate_series(0, 63);

    -- Hosts of clients that do not answer, or said that they are gone. No row: all is well.
    create table host_circuits (
      client uuid not null,
      host text not null,
      state text not null check (state in ('open', 'closing', 'disabled')),
      cause text not null,
      openings int4 not null default 1,
      opened_at timestamptz not null default now(),
      -- Open: when the next probe is due. Closing: when the next jobs are brought back.
      next_at timestamptz not null,
      closing_since timestamptz,
      primary key (client, host)
    );

    create function drop_job_days(before timestamptz) returns int language plpgsql as $$
    declare
      child text;
      dropped int := 0;
    begin
      for child in
        select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent in ('ended_jobs'::regclass, 'job_attempts'::regclass) and c.relname ~ '_[0-9]{8}$'
          and to_timestamp(right(c.relname, 8) || ' UTC', 'YYYYMMDD TZ') + interval '1 day' <= before
      loop
        execute format('drop table %I', child);
        dropped := dropped + 1;
      end loop;
      delete from ended_jobs_other where ended_at < before;
      delete from job_attempts_other where at < before;
      return dropped;
    end $$;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function drop_job_days;
    drop table host_circuits, job_partitions, job_nodes, regions;
  `);
}
