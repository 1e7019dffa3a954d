-- after: nothing
-- Action types, their shards, and the state of endpoints that workers share
-- (docs/decisions/0017-action-types-and-shards.md, 0021-how-workers-protect-endpoints.md).

create table action_types (
  name text primary key,
  -- Revision of the action type; every change of the row increments it.
  revision int not null default 1,
  -- Configuration, as in actionTypeConfig of shared/contracts/endpoints/action-type-config.ts.
  config jsonb not null,
  -- False: no campaign may start with the type, but running campaigns continue.
  enabled boolean not null default true,
  -- Last source of the config: the engine's file, or a request to the API.
  origin text not null check (origin in ('file', 'api')),
  -- Encrypted secrets with the time they were set, by name.
  secrets jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Time of the deletion; null: not deleted. The row stays so that a configuration file does not restore a deleted
  -- type, and revisions are not reused.
  deleted_at timestamptz
);

create table shards (
  action_type text not null references action_types,
  country text not null,
  -- Configured number of partitions, which is never reduced. The topic in Kafka is adjusted to it.
  partitions int not null check (partitions between 1 and 1000),
  created_at timestamptz not null default now(),
  primary key (action_type, country)
);

-- Work of each worker in each shard that it serves, rewritten every few seconds; for display only.
create table shard_reports (
  worker text not null,
  action_type text not null,
  country text not null,
  in_flight int not null,
  call_limit int not null,
  waiting int not null,
  breaker_open boolean not null,
  batches_per_second real not null,
  -- Reason why the worker does not serve the shard, although its settings include the shard. Null: it serves the shard.
  refusal text,
  reported_at timestamptz not null default now(),
  primary key (worker, action_type, country)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Circuit breaker of a shard. A row is inserted when the circuit first opens, and is never deleted.
create table shard_breakers (
  action_type text not null,
  country text not null,
  -- open: workers make no calls, except for one probe at a time. closed: calls are allowed, and their rate rises
  -- gradually from slow_start_at on.
  state text not null check (state in ('open', 'closed')),
  cause text not null,
  opened_at timestamptz not null default now(),
  -- Consecutive openings, including failed probes.
  openings int not null default 1,
  retry_at timestamptz not null,
  probe_owner text,
  probe_until timestamptz,
  slow_start_at timestamptz,
  primary key (action_type, country)
) with (fillfactor = 50);

-- Workers with work for an unhealthy shard, which share the calls of its slow start.
create table slow_start_workers (
  action_type text not null,
  country text not null,
  worker text not null,
  seen_at timestamptz not null,
  primary key (action_type, country, worker)
) with (fillfactor = 50);

-- A worker's share of an action type's rate. reserved: rate that the worker may be using until the row expires,
-- including the rate of its previous share.
create table rate_shares (
  action_type text not null,
  unit text not null check (unit in ('calls', 'users')),
  worker text not null,
  demand float8 not null,
  share float8 not null,
  reserved float8 not null,
  expires_at timestamptz not null,
  primary key (action_type, unit, worker)
) with (fillfactor = 50);
