-- after: nothing
-- Action types as data, the shards that came to life, and what workers share about their endpoints
-- (docs/decisions/0017-action-types-and-shards.md, 0021-how-workers-protect-endpoints.md).

create table action_types (
  name text primary key,
  -- Moves with every change of the row.
  revision int not null default 1,
  -- actionTypeConfig of shared/contracts/endpoints/engine-config.ts.
  config jsonb not null,
  -- False: no campaign may begin with it. What runs goes on.
  enabled boolean not null default true,
  -- What said last what config says: the engine's file, or a request to the API.
  origin text not null check (origin in ('file', 'api')),
  -- By name of the secret: what is encrypted, and when it was set.
  secrets jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The row stays: a file must not bring back what was deleted, and revisions must not repeat.
  deleted_at timestamptz
);

create table shards (
  action_type text not null references action_types,
  country text not null,
  -- As they are wanted; only raised. Kafka follows.
  partitions int not null check (partitions between 1 and 1000),
  created_at timestamptz not null default now(),
  primary key (action_type, country)
);

-- What each worker has under way in each shard that it serves, written anew every few seconds: for people.
create table shard_reports (
  worker text not null,
  action_type text not null,
  country text not null,
  in_flight int not null,
  call_limit int not null,
  waiting int not null,
  breaker_open boolean not null,
  batches_per_second real not null,
  -- Why it does not serve a shard that its settings name; null: it does.
  refusal text,
  reported_at timestamptz not null default now(),
  primary key (worker, action_type, country)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- The breaker of a shard: one row once it was open, which stays.
create table endpoint_guards (
  action_type text not null,
  country text not null,
  -- open: no worker calls, but for one probe at a time. closed: it is well, and was not until slow_start_at.
  state text not null check (state in ('open', 'closed')),
  cause text not null,
  opened_at timestamptz not null default now(),
  -- How often in a row it opened, failed probes included.
  openings int not null default 1,
  retry_at timestamptz not null,
  probe_owner text,
  probe_until timestamptz,
  slow_start_at timestamptz,
  primary key (action_type, country)
) with (fillfactor = 50);

-- Workers with work for a shard that is not well: they share the calls of its slow start.
create table endpoint_watchers (
  action_type text not null,
  country text not null,
  worker text not null,
  seen_at timestamptz not null,
  primary key (action_type, country, worker)
) with (fillfactor = 50);

-- A worker's share of an action type's rate. held: what it may be using until then, the share before this one included.
create table rate_shares (
  action_type text not null,
  unit text not null check (unit in ('calls', 'users')),
  worker text not null,
  demand float8 not null,
  share float8 not null,
  held float8 not null,
  until timestamptz not null,
  primary key (action_type, unit, worker)
) with (fillfactor = 50);
