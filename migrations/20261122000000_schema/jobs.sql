-- after: partitions
-- Callbacks: a job is one row from its acceptance to its end (docs/decisions/0029-accepting-jobs.md,
-- 0030-how-jobs-are-offered.md). Shapes and statements were measured: change them with a
-- benchmark in hand.

-- Waiting, being called or sidelined (then due_at is 'infinity', and sideline names the host). No updates in the hot
-- path. Vacuumed after so many rows, as the partitions of feeds are.
create table jobs (
  partition_id int2 not null,
  due_at timestamptz not null,
  id uuid not null,
  client uuid not null,
  -- Of its client's, that it is called through: its own terms name it.
  endpoint uuid generated always as (case when terms like '{"endpoint":"%' then substr(terms, 14, 36)::uuid end) stored,
  attempt int2 not null default 1,
  -- Calls that tried its host while that was left alone, answered or not. Lies where the row had a gap.
  probes int4 not null default 0,
  scheduled_for timestamptz not null,
  accepted_at timestamptz not null default now(),
  expires_at timestamptz,
  key text,
  method text not null,
  url text not null,
  headers text,
  body text storage main,
  tags text[],
  schedule uuid,
  sideline text,
  -- The job that it sends again, under an id of its own.
  repeats uuid,
  -- How it is called, where it says so itself (JSON); as its client says otherwise.
  terms text,
  -- One of a key at a time; where they come in order, one that is called again keeps its place. Ready when it would be
  -- due alone; what waits for its turn is due at 'infinity'. Its place is that among those that were accepted at once.
  ordering_key text,
  in_order boolean,
  place int2,
  ready_at timestamptz,
  -- Its receiver has accepted the call and reports until it is due, or has reported that it failed (JSON): when it is
  -- due, that attempt is judged, and no call is made. One with an ordering key has its key meanwhile.
  report text,
  -- Null: normal. Its own terms name it; no text in them looks so, as its quotes are escaped.
  priority text generated always as (case when terms like '%"priority":"high"%' then 'high'
    when terms like '%"priority":"low"%' then 'low' end) stored,
  primary key (partition_id, due_at, id)
) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 500000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000
);
create unique index jobs_by_id on jobs (id);
create index jobs_sidelined on jobs (client, sideline, id) where sideline is not null;
create index jobs_active_of_key on jobs (client, ordering_key)
  where ordering_key is not null and (due_at < 'infinity' or sideline is not null);
create index jobs_waiting_of_key on jobs (client, ordering_key, ready_at, accepted_at, place, id)
  where ordering_key is not null and due_at = 'infinity' and sideline is null;
create index jobs_sidelined_in_turn on jobs ((coalesce(endpoint, client)), sideline, (attempt + probes), id)
  where sideline is not null;
create index jobs_reporting on jobs (client, due_at, id) where report is not null;
create index jobs_of_endpoint on jobs (endpoint) where endpoint is not null;

-- Inserted by a claim, gone with its end. It holds as long as its owner is alive (job_nodes), and no longer than its
-- lease. The epoch fences the owners that held the job before.
create table fires (
  partition_id int2 not null,
  due_at timestamptz not null,
  id uuid not null,
  owner text not null,
  epoch int4 not null,
  lease_until timestamptz not null,
  -- Of a job with an ordering key: until then its call may be under way, whoever has died.
  alone_until timestamptz,
  primary key (partition_id, due_at, id)
) with (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 500000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000
);

-- Headers and body of a call whose job ends, as one number: a key that comes again is to come with the same. Taken at the
-- end, so that accepting costs nothing more. Who looks for two calls of one number harms its own key alone.
create function call_digest(key text, headers text, body text) returns int8 language sql immutable parallel safe
return case when key is not null
  then hashtextextended(coalesce(body, ''), hashtextextended(coalesce(headers, ''), (body is null)::int)) end;

-- What became of jobs, with all that sending them again needs, by days that are dropped whole.
create table ended_jobs (
  id uuid not null,
  client uuid not null,
  ended_at timestamptz not null,
  accepted_at timestamptz not null,
  scheduled_for timestamptz not null,
  expires_at timestamptz,
  -- Null without a key.
  call_digest int8,
  outcome text not null,
  attempt int2 not null,
  status int2,
  latency_ms int4,
  error text,
  answer text,
  method text not null,
  url text not null,
  headers text,
  body text,
  -- There was one, and its client has none kept.
  is_body_gone boolean,
  key text,
  tags text[],
  schedule uuid,
  repeats uuid,
  terms text,
  ordering_key text,
  in_order boolean
) partition by range (ended_at);
create index ended_jobs_by_id on ended_jobs (id);
create index ended_jobs_of_client on ended_jobs (client, ended_at);
create index ended_jobs_of_key on ended_jobs (client, ordering_key, ended_at) where ordering_key is not null;
create table ended_jobs_other partition of ended_jobs default;

-- Attempts that were not the last one; the last one is in ended_jobs.
create table job_attempts (
  id uuid not null,
  at timestamptz not null,
  attempt int2 not null,
  status int2,
  latency_ms int4,
  error text,
  answer text
) partition by range (at);
create index job_attempts_by_id on job_attempts (id);
create table job_attempts_other partition of job_attempts default;

-- Given up, with all that a replay needs. They are in no partition of days: retention deletes them by their age.
create table dead_jobs (
  id uuid primary key,
  client uuid not null,
  died_at timestamptz not null default now(),
  cause text not null,
  job jsonb not null
);
create index dead_jobs_of_client on dead_jobs (client, died_at, id);

-- One request for many jobs. Its place moves in the transaction that changes the jobs before it: the next process goes
-- on there.
create table job_changes (
  id uuid primary key,
  client uuid not null,
  verb text not null check (verb in ('cancel', 'reschedule')),
  filter jsonb not null,
  due_at timestamptz,
  state text not null default 'running' check (state in ('running', 'done')),
  place text,
  seen int8 not null default 0,
  changed int8 not null default 0,
  too_late int8 not null default 0,
  created_at timestamptz not null default now(),
  ended_at timestamptz
);
create index job_changes_running on job_changes (id) where state = 'running';
-- They go with the history of jobs.
create index job_changes_by_end on job_changes (ended_at) where state = 'done';

-- Where jobs are offered and called. The epoch moves with every switch: claims made under an older one are refused.
create table regions (
  name text primary key,
  epoch int8 not null default 1,
  active boolean not null default true,
  reason text,
  changed_at timestamptz not null default now()
);
insert into regions (name) values ('local');

-- Schedulers and dispatchers that are alive, and what a dispatcher claimed is its own as long as it is. Figures are for
-- people and for the pace of offers.
create table job_nodes (
  owner text primary key,
  kind text not null,
  region text not null,
  started_at timestamptz not null default now(),
  -- Since its first beat, or since it was not alive for a while: one that has just come back, as the database has, has
  -- seen no other beat yet.
  alive_since timestamptz not null default now(),
  expires_at timestamptz not null,
  figures jsonb not null default '{}',
  -- References to jobs that may be sent of a client that is not named. Null: it takes none, as schedulers do.
  any_client_credit int4,
  -- The same by client, of those that are at work there.
  client_credit jsonb not null default '{}',
  -- What a dispatcher does of each outlet (a client, or an endpoint of one), of those that are at work there or were in
  -- the last minute: said with every second or so, not with every beat. For people.
  outlet_calls jsonb not null default '{}',
  -- How long calls of the last ten minutes took, by outlet, of those that had some: said every ten seconds or so, and
  -- since when. For people.
  call_durations jsonb not null default '{}'
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

-- Makes the missing days, of one table if it is named, and returns how many partitions it made. A row without a day lies
-- in the default partition until it is too old. Services call this through
-- shared/postgres/connection/partition-changes.ts alone.
create function make_job_days(since timestamptz, until timestamptz, of_table name default null) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  day timestamptz := date_trunc('day', since, 'UTC');
  parent text;
  child text;
  made int := 0;
begin
  perform refuse_far_partitions(since, until, interval '30 days');
  while day < until loop
    foreach parent in array array['ended_jobs', 'job_attempts'] loop
      child := parent || '_' || to_char(day at time zone 'UTC', 'YYYYMMDD');
      if (of_table is null or parent = of_table) and to_regclass(child) is null then
        begin
          execute format('create table %I partition of %I for values from (%L) to (%L)', child, parent, day,
            day + interval '1 day');
          made := made + 1;
        exception when check_violation then
          -- Rows of this day lie in the default partition, because it was not made in time: they stay there until they
          -- are too old.
          null;
        end;
      end if;
    end loop;
    day := day + interval '1 day';
  end loop;
  return made;
end $$;

-- Drops one table's partition of a day that has been over for a day, the shortest that jobs are kept; true.
create function drop_job_day(partition name) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  suffix text := substring(partition from '_[0-9]{8}$');
begin
  if partition in ('ended_jobs' || suffix, 'job_attempts' || suffix)
    and to_timestamp(suffix || ' UTC', '_YYYYMMDD TZ') + interval '2 days' <= now() then
    execute format('drop table if exists %I', partition);
    return true;
  end if;
  raise exception '% is no day that is over', partition using errcode = 'insufficient_privilege';
end $$;

-- What a statement that stores jobs asks for after its insert. Volatile, so that its query has a snapshot of its own,
-- taken now: the caller's is as old as the caller's statement. 23505 as of the unique index, which would have said the
-- same while the job lived. Days to come are there already, and need not be looked at.
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

select make_job_days(now(), now() + interval '7 days');
