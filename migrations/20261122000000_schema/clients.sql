-- after: nothing
-- Clients that schedule callbacks, and their figures.

-- Each change increments installation.clients_revision in the same transaction.
create table clients (
  id uuid primary key,
  name text not null unique,
  revision int not null default 1,
  definition jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Ledger of deltas: accepted = called + expired + cancelled + dead + sidelined + pending, where the last two are
-- counted, not stored.
create table client_totals (
  client uuid not null,
  slot int2 not null,
  accepted int8 not null default 0,
  called int8 not null default 0,
  expired int8 not null default 0,
  cancelled int8 not null default 0,
  dead int8 not null default 0,
  primary key (client, slot)
) with (fillfactor = 50);

-- Token bucket of scheduled jobs by client: filled over time, spent by fires.
create table client_fire_rates (
  client uuid primary key,
  tokens float8 not null,
  filled_at timestamptz not null
) with (fillfactor = 50);

-- The last check of each client: the number of stored jobs by its totals, and the count in some of the 64 partitions.
create table ledger_checks (
  client uuid primary key,
  checked_at timestamptz not null,
  partitions int2 not null,
  expected int8 not null,
  counted int8 not null,
  -- Among the counted jobs: due jobs that have not ended, the oldest of them, and sidelined jobs.
  due int8 not null,
  oldest_due_at timestamptz,
  sidelined int8 not null,
  -- In all partitions: due jobs behind others of their ordering key, their keys, and the oldest of them.
  in_line int8 not null,
  keys_in_line int8 not null,
  oldest_in_line_at timestamptz,
  -- In all partitions: dead jobs that were not replayed, and hosts with an open circuit.
  dead int8 not null,
  hosts int4 not null
);

-- Circuits of hosts that do not answer, or reported that they are gone. No row: the circuit is closed.
create table host_circuits (
  -- Endpoint whose calls fail there; that of `default` is its client's id.
  client uuid not null,
  -- Host and port, with a path prefix if the client names one; * for all hosts.
  host text not null,
  state text not null check (state in ('open', 'closing', 'disabled')),
  cause text not null,
  openings int4 not null default 1,
  opened_at timestamptz not null default now(),
  -- Open: time of the next probe. Closing: time at which the next jobs are resumed.
  next_at timestamptz not null,
  closing_since timestamptz,
  primary key (client, host)
);
