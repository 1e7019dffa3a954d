-- after: nothing
-- Tables of the whole installation.

-- A table with one row. Its id separates this installation's messages from those of another installation on the same
-- Kafka.
create table installation (
  id uuid not null default gen_random_uuid(),
  -- Settings that all processes must share (shared/runtime/installation/installation-config.ts).
  config jsonb not null default '{}',
  -- registry_revision is incremented by every change of action types and shards, clients_revision by every change of
  -- clients, in the same transaction. Processes compare both numbers to detect changes.
  registry_revision bigint not null default 1,
  clients_revision bigint not null default 0,
  created_at timestamptz not null default now(),
  -- Time of the last restore to an earlier moment (docs/decisions/0013-releases-versions-and-restores.md).
  restored_at timestamptz,
  singleton boolean primary key default true check (singleton)
);
insert into installation default values;

-- Versions of Muster that changed the schema; the last row names the versions that may use it.
create table schema_versions (
  version text primary key,
  -- Oldest version whose processes may use the schema after this version's migrations.
  oldest text not null,
  -- Migrations that the version applied, by name.
  migrations text[] not null,
  migrated_by text not null default current_user,
  migrated_at timestamptz not null default clock_timestamp()
);

-- Leases. The token grows with each new owner and each time a lease lapses. Rows are never deleted, so that the token
-- never restarts.
create table leases (
  name text primary key,
  owner text,
  token bigint not null,
  expires_at timestamptz not null
);

-- Running processes. Each process reports itself twice a minute. For display only: leases and job_nodes do not depend
-- on this table.
create table processes (
  owner text primary key,
  service text not null,
  version text not null,
  region text not null,
  node text not null,
  -- Release of the process's time zone data, such as 2026c.
  zone_data text not null,
  -- Offset of the process's clock from the database's clock, and the uncertainty, in milliseconds. Null until the
  -- second heartbeat (docs/decisions/0037-runtime-statistics.md).
  clock_offset_ms float8,
  clock_uncertainty_ms float8,
  started_at timestamptz not null default now(),
  -- The process counts as gone after this time, unless it sends another heartbeat.
  expires_at timestamptz not null
);

-- Settings that several services read and that must be equal. The values are those of each service's most recently
-- started process. `muster doctor` compares them.
create table service_settings (
  service text not null,
  name text not null,
  value text not null,
  primary key (service, name)
);

-- Returns a uuid v7 of the current time, ordered by microseconds within this database.
create function uuid_of_now() returns uuid language sql volatile as $$
  select encode(
    substring(int8send(t.us / 1000) from 3) || substring(int8send(28672 + t.us % 1000) from 7)
      || substring(uuid_send(gen_random_uuid()) from 9),
    'hex')::uuid
  from (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as us) t
$$;
