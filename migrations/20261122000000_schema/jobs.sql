-- after: partitions
-- Callbacks: a job is one row from its acceptance to its end (docs/decisions/0029-accepting-jobs.md,
-- 0030-how-jobs-are-offered.md). Table layouts and statements were measured: benchmark every change.

-- Jobs that wait, are being called, or are sidelined (due_at is 'infinity', and sideline names the host). The hot path
-- makes no updates. Vacuum thresholds are row counts, as for the partitions of feeds.
create table jobs (
  partition_id int2 not null,
  due_at timestamptz not null,
  id uuid not null,
  client uuid not null,
  -- Endpoint of the client that the job calls, taken from the job's terms. Null: the endpoint `default`.
  endpoint uuid generated always as (case when terms like '{"endpoint":"%' then substr(terms, 14, 36)::uuid end) stored,
  attempt int2 not null default 1,
  -- Number of the job's calls that probed its host while the circuit was open, answered or not. The column is at this
  -- position because it fills an alignment gap of the row.
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
  -- Job that this job repeats under an id of its own.
  repeats uuid,
  -- Call settings of the job itself (JSON). For all other settings, the client's apply.
  terms text,
  -- Jobs of one ordering key are called one at a time. in_order: a retried job keeps its place before later jobs.
  -- ready_at: time at which the job would be due without the key; a job that waits for its turn is due at 'infinity'.
  -- accept_order: order of jobs that were accepted together.
  ordering_key text,
  in_order boolean,
  accept_order int2,
  ready_at timestamptz,
  -- Set in two cases: the receiver has accepted the call and will report until due_at, or it has reported a failure
  -- (JSON). At due_at the attempt is judged without another call. Until then no other job of the same ordering key is
  -- called.
  report text,
  -- Priority; null means normal. The value is derived from the job's terms; other text in them cannot match, because
  -- its quotes are escaped.
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
create index jobs_waiting_of_key on jobs (client, ordering_key, ready_at, accepted_at, accept_order, id)
  where ordering_key is not null and due_at = 'infinity' and sideline is null;
create index jobs_sidelined_in_turn on jobs ((coalesce(endpoint, client)), sideline, (attempt + probes), id)
  where sideline is not null;
create index jobs_reporting on jobs (client, due_at, id) where report is not null;
create index jobs_of_endpoint on jobs (endpoint) where endpoint is not null;

-- Claims of jobs. A row is inserted when a job is claimed, and deleted when the job ends. A claim is valid while its
-- owner is alive (job_nodes), and at most until its lease ends. The epoch fences off earlier owners.
create table job_claims (
  partition_id int2 not null,
  due_at timestamptz not null,
  id uuid not null,
  owner text not null,
  epoch int4 not null,
  lease_until timestamptz not null,
  -- For a job with an ordering key: time until which its call may be in progress, even if the owner has died.
  exclusive_until timestamptz,
  primary key (partition_id, due_at, id)
) with (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 500000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000
);

-- Returns a digest of headers and body of an ended job, to which a later request with the same key is compared. The
-- digest is computed when the job ends, so that accepting costs nothing. A caller that constructs a collision only
-- harms its own key.
create function call_digest(key text, headers text, body text) returns int8 language sql immutable parallel safe
return case when key is not null
  then hashtextextended(coalesce(body, ''), hashtextextended(coalesce(headers, ''), (body is null)::int)) end;

-- Outcomes of jobs, with everything needed to send them again. Daily partitions are dropped as a whole.
create table ended_jobs (
  id uuid not null,
  client uuid not null,
  ended_at timestamptz not null,
  accepted_at timestamptz not null,
  scheduled_for timestamptz not null,
  expires_at timestamptz,
  -- Digest of the call; null if the job has no key.
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
  -- True: the job had a body, but its client's settings do not keep bodies.
  is_body_omitted boolean,
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

-- Attempts before the last one; the last one is in ended_jobs.
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

-- Dead jobs, with everything that a replay needs. Not partitioned by day: retention deletes them by age.
create table dead_jobs (
  id uuid primary key,
  client uuid not null,
  died_at timestamptz not null default now(),
  cause text not null,
  job jsonb not null
);
create index dead_jobs_of_client on dead_jobs (client, died_at, id);

-- A request to change many jobs. `cursor` is the position of the change, updated in the transaction that changes the
-- jobs before it. So after a crash another process continues there.
create table job_changes (
  id uuid primary key,
  client uuid not null,
  verb text not null check (verb in ('cancel', 'reschedule')),
  filter jsonb not null,
  due_at timestamptz,
  state text not null default 'running' check (state in ('running', 'done')),
  cursor text,
  examined int8 not null default 0,
  changed int8 not null default 0,
  too_late int8 not null default 0,
  created_at timestamptz not null default now(),
  ended_at timestamptz
);
create index job_changes_running on job_changes (id) where state = 'running';
-- Retention deletes ended changes together with the history of jobs.
create index job_changes_by_end on job_changes (ended_at) where state = 'done';

-- Regions in which jobs are offered and called. Each switch of a region increments its epoch; claims with an older
-- epoch are refused.
create table regions (
  name text primary key,
  epoch int8 not null default 1,
  active boolean not null default true,
  reason text,
  changed_at timestamptz not null default now()
);
insert into regions (name) values ('local');

-- Live schedulers and dispatchers. A dispatcher's claims are valid while the dispatcher is alive. The figures are for
-- display, and control how fast schedulers offer jobs.
create table job_nodes (
  owner text primary key,
  kind text not null,
  region text not null,
  started_at timestamptz not null default now(),
  -- First heartbeat since the node was last not alive. A node that has just come back, for example after an outage of
  -- the database, has not yet seen other nodes' heartbeats.
  alive_since timestamptz not null default now(),
  expires_at timestamptz not null,
  figures jsonb not null default '{}',
  -- Credit for each client that client_credit does not name: how many job references schedulers may send. Null: none,
  -- as for schedulers.
  default_client_credit int4,
  -- Credit by client, for clients with calls on this node.
  client_credit jsonb not null default '{}',
  -- A dispatcher's current calls by endpoint of a client, for endpoints with calls now or in the last minute. Reported
  -- about once a second, separately from heartbeats. For display only.
  endpoint_calls jsonb not null default '{}',
  -- Durations of calls in the last ten minutes by endpoint, and the beginning of that period. Reported about every ten
  -- seconds. For display only.
  call_durations jsonb not null default '{}'
);

-- Partitions of jobs. assigned_owner: scheduler that the leader has assigned; owner: scheduler that holds the lease.
-- The token never decreases.
create table job_partitions (
  partition_id int2 primary key,
  assigned_owner text,
  owner text,
  token int8 not null default 0,
  owned_since timestamptz,
  expires_at timestamptz
);
insert into job_partitions (partition_id) select generate_series(0, 63);

-- Creates the missing daily partitions, of one table only if it is given, and returns their number. A row without a
-- matching day is stored in the default partition, and deleted from there at the end of its retention. Services call
-- this function only through shared/postgres/connection/partition-changes.ts.
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
          -- The default partition has rows of this day, because the day's partition was not created in time. They stay
          -- there until their retention ends.
          null;
        end;
      end if;
    end loop;
    day := day + interval '1 day';
  end loop;
  return made;
end $$;

-- Drops one table's partition of a day, and returns true. Raises an error if the day did not end at least a day ago,
-- the minimum retention of jobs.
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

-- Raises 23505 if one of these jobs has ended already, as the unique index does while a job exists. Statements that
-- store jobs call this function after their insert. It is volatile, so that its query has a new snapshot, newer than
-- the calling statement's. The upper bound excludes the partitions of future days.
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
