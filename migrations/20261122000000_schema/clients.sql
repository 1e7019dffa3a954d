-- after: nothing
-- Clients that schedule callbacks, and their figures.

-- Each change of a client increments installation.clients_revision in the same transaction.
create table clients (
  id uuid primary key,
  name text not null unique,
  revision int not null default 1,
  definition jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Counts of each client's jobs, in slots that are added up. Invariant: accepted = called + expired + cancelled + dead +
-- sidelined + pending. sidelined and pending are counted from the jobs, not stored.
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

-- Token bucket that limits the scheduled jobs of a client: filled over time, reduced by each fired job.
create table client_fire_rates (
  client uuid primary key,
  tokens float8 not null,
  filled_at timestamptz not null
) with (fillfactor = 50);

-- Result of the last check of each client: the number of stored jobs according to its totals (expected), and the number
-- counted in some of the 64 partitions (counted).
create table ledger_checks (
  client uuid primary key,
  checked_at timestamptz not null,
  partitions int2 not null,
  expected int8 not null,
  counted int8 not null,
  -- Among the counted jobs: number of due jobs that have not ended, due time of the oldest, and number of sidelined
  -- jobs.
  due int8 not null,
  oldest_due_at timestamptz,
  sidelined int8 not null,
  -- Over all partitions: number of due jobs that wait for earlier jobs of their ordering key, number of these keys, and
  -- time of the oldest.
  blocked int8 not null,
  blocked_keys int8 not null,
  oldest_blocked_at timestamptz,
  -- Over all partitions: number of dead jobs that were not replayed, and of hosts with an open circuit.
  dead int8 not null,
  open_hosts int4 not null
);

-- Circuits of hosts that do not answer, or that reported that they are gone. Without a row, the circuit is closed.
create table host_circuits (
  -- Endpoint whose calls to the host fail. The id of an endpoint `default` is its client's id.
  endpoint uuid not null,
  -- Host and port, with a path prefix if the client names one; * for all hosts.
  host text not null,
  state text not null check (state in ('open', 'closing', 'disabled')),
  cause text not null,
  openings int4 not null default 1,
  opened_at timestamptz not null default now(),
  -- Open: time of the next probe. Closing: time at which the next jobs are resumed.
  next_at timestamptz not null,
  closing_since timestamptz,
  primary key (endpoint, host)
);
