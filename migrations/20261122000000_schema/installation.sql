-- after: nothing
-- What there is once for the whole installation, or by its name.

-- One row. Its id tells this installation's messages from those of another one on the same Kafka.
create table installation (
  id uuid not null default gen_random_uuid(),
  -- What must not differ between the processes of one installation (shared/runtime/installation-config.ts).
  config jsonb not null default '{}',
  -- Move with every change of action types and shards, or of clients, in the same transaction: processes look at
  -- these two numbers to learn that they have to read again.
  registry_revision bigint not null default 1,
  clients_revision bigint not null default 0,
  created_at timestamptz not null default now(),
  -- When the database was last restored to an earlier moment
  -- (docs/decisions/0013-releases-versions-and-restores.md).
  restored_at timestamptz,
  one boolean primary key default true check (one)
);
insert into installation default values;

-- Which versions of Muster have changed the schema; the last one says which may work on it.
create table schema_versions (
  version text primary key,
  -- The oldest whose processes may work on the schema as this one left it.
  oldest text not null,
  -- Those that it brought, by name.
  migrations text[] not null,
  -- The role of the database.
  migrated_by text not null default current_user,
  migrated_at timestamptz not null default clock_timestamp()
);

-- The token grows with each new owner, and with each lapse: rows stay, so that it never starts again.
create table leases (
  name text primary key,
  owner text,
  token bigint not null,
  expires_at timestamptz not null
);

-- Processes that run, as each says itself twice a minute. For people: what is a process's own stands elsewhere (leases,
-- job_nodes), and holds without it.
create table processes (
  owner text primary key,
  service text not null,
  version text not null,
  region text not null,
  node text not null,
  -- The rules of time zones that it goes by, such as 2026c.
  zone_data text not null,
  -- How far its clock is ahead of the database's, and by how much that may be wrong; null until its second beat
  -- (docs/decisions/0037-runtime-statistics.md).
  clock_ahead_ms float8,
  clock_within_ms float8,
  started_at timestamptz not null default now(),
  -- It is not there any more, unless it says so again before.
  expires_at timestamptz not null
);

-- Of settings that several services read and that have to be the same: with what the process of each that started last
-- runs. For `muster doctor`.
create table service_settings (
  service text not null,
  name text not null,
  value text not null,
  primary key (service, name)
);

-- A uuid v7 of this moment, ordered by microseconds within this database.
create function uuid_of_now() returns uuid language sql volatile as $$
  select encode(
    substring(int8send(t.us / 1000) from 3) || substring(int8send(28672 + t.us % 1000) from 7)
      || substring(uuid_send(gen_random_uuid()) from 9),
    'hex')::uuid
  from (select (extract(epoch from clock_timestamp()) * 1000000)::bigint as us) t
$$;
