import type { Knex } from 'knex';

/**
 * What people ask after a run: what became of one user, and the failed users once more (docs/decisions/0025-retries-as-child-runs.md).
 * Tables that are partitioned by feed are listed in `feed_tables` from now on: another one is a row there and not a copy of the function.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(listedTables);
  await knex.raw(childRuns);
  await knex.raw(attempts);
  await knex.raw(`select make_feed_partitions(date_trunc('week', now()), now() + interval '14 days')`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table step_attempts, retry_users;
    delete from runs where parent is not null and not exists (select from feeds where run = runs.id);
    drop index runs_of_parent;
    alter table runs drop parent, drop retry;
    alter table feeds drop from_step;
    drop function make_feed_partitions;
    drop table feed_tables;
  `);
  await knex.raw(makerBefore);
}

/** As in the tables before: a share of a billion rows is a vacuum that comes too late. */
const often = [
  'autovacuum_vacuum_scale_factor = 0',
  'autovacuum_vacuum_threshold = 100000',
  'autovacuum_vacuum_insert_scale_factor = 0',
  'autovacuum_vacuum_insert_threshold = 500000',
  'autovacuum_analyze_scale_factor = 0',
  'autovacuum_analyze_threshold = 100000',
].join(', ');

const listedTables = `
  -- Tables that are partitioned by the weeks of their feeds, with what each partition is stored with, and what of a run they leave with.
  create table feed_tables (
    name text primary key,
    storage text not null,
    leaves_with text not null check (leaves_with in ('users', 'steps', 'failures'))
  );
  insert into feed_tables values
    ('batches', 'toast_tuple_target = 8160, ${often}', 'users'),
    ('batch_steps', 'fillfactor = 50, ${often}', 'steps'),
    ('user_failures', '${often}', 'failures'),
    ('step_attempts', '${often}', 'steps'),
    ('retry_users', '${often}', 'failures');

  create or replace function make_feed_partitions(since timestamptz, until timestamptz) returns int language plpgsql as $$
  declare
    week timestamptz := date_trunc('week', since, 'UTC');
    suffix text;
    bounds text;
    each_table record;
    made int := 0;
    made_before int;
  begin
    while week < until loop
      suffix := to_char(week at time zone 'UTC', '_YYYYMMDD');
      bounds := format('for values from (%L) to (%L)', feed_floor(week), feed_floor(week + interval '7 days'));
      made_before := made;
      begin
        for each_table in select name, storage from feed_tables order by name loop
          if to_regclass(each_table.name || suffix) is null then
            execute format('create table if not exists %I partition of %I %s with (%s)', each_table.name || suffix, each_table.name, bounds,
              each_table.storage);
            made := made_before + 1;
          end if;
        end loop;
      exception when check_violation then
        -- Feeds of this week lie in a default partition, because nobody made it in time: they stay there until they are deleted.
        made := made_before;
      end;
      week := week + interval '7 days';
    end loop;
    return made;
  end $$;
`;

const childRuns = `
  alter table runs
    -- The run whose failed users this one tries again. Never itself a child: retries of retries stand beside each other.
    add parent uuid,
    -- Which of them: {"of": a run or null, "steps", "countries", "reasons": lists or null}.
    add retry jsonb;
  create index runs_of_parent on runs (parent) where parent is not null;

  -- The step that the users of this feed begin with: what came before, they have done in the parent run.
  alter table feeds add from_step int2 not null default 1;

  -- The audience of a child run's feed, as it was when the run began.
  create table retry_users (
    feed uuid not null,
    user_id text collate "C" not null,
    primary key (feed, user_id)
  ) partition by range (feed);
  create table retry_users_default partition of retry_users default with (${often});
`;

const attempts = `
  -- Calls that were not the whole story: put back, split, retried, or of a worker that was lost. What succeeded at once has no row.
  create table step_attempts (
    feed uuid not null,
    batch_no int not null,
    step int2 not null,
    epoch int not null,
    at timestamptz not null default now(),
    reading text not null,
    cause text,
    -- What was said of users that went on: a JSON list of {"code", "detail", "users"}.
    users text,
    primary key (feed, batch_no, step, epoch)
  ) partition by range (feed);
  create table step_attempts_default partition of step_attempts default with (${often});
`;

const makerBefore = `
  create function make_feed_partitions(since timestamptz, until timestamptz) returns int language plpgsql as $$
  declare
    week timestamptz := date_trunc('week', since, 'UTC');
    suffix text;
    bounds text;
    often constant text := '${often}';
    made int := 0;
  begin
    while week < until loop
      suffix := to_char(week at time zone 'UTC', 'YYYYMMDD');
      if to_regclass('batches_' || suffix) is null then
        bounds := format('for values from (%L) to (%L)', feed_floor(week), feed_floor(week + interval '7 days'));
        begin
          execute format('create table if not exists %I partition of batches %s with (toast_tuple_target = 8160, ' || often || ')', 'batches_' || suffix, bounds);
          execute format('create table if not exists %I partition of batch_steps %s with (fillfactor = 50, ' || often || ')', 'batch_steps_' || suffix, bounds);
          execute format('create table if not exists %I partition of user_failures %s with (' || often || ')', 'user_failures_' || suffix, bounds);
          made := made + 1;
        exception when check_violation then
          null;
        end;
      end if;
      week := week + interval '7 days';
    end loop;
    return made;
  end $$;
`;
