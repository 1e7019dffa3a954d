-- after: nothing
-- Clients that schedule callbacks, and what is counted of them.

-- Each change moves installation.clients_revision in the same transaction.
create table clients (
  id uuid primary key,
  name text not null unique,
  revision int not null default 1,
  definition jsonb not null,
  enabled boolean not null default true,
  disabled_reason text,
  -- What its calls are authorised with; secrets in it are sealed.
  auth jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Standard Webhooks secrets, sealed. Several may be valid at once: that is how they are rotated.
create table client_keys (
  id uuid primary key,
  client uuid not null references clients on delete cascade,
  sealed text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz
);
create index client_keys_of_client on client_keys (client);

-- The ledger: deltas. accepted = called + expired + cancelled + dead + sidelined + pending, where the last two are
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

-- What schedules may still bring of a client's rate: filled by the time that passes, spent by what fires.
create table client_fire_rates (
  client uuid primary key,
  tokens float8 not null,
  filled_at timestamptz not null
) with (fillfactor = 50);

-- The last check of each client: what its totals say is stored, and what was counted in so many of the 64 partitions.
create table ledger_checks (
  client uuid primary key,
  checked_at timestamptz not null,
  partitions int2 not null,
  expected int8 not null,
  counted int8 not null,
  -- Of those that were counted: due and not ended, the oldest of them, and put aside.
  due int8 not null,
  oldest_due_at timestamptz,
  sidelined int8 not null,
  -- Whatever was counted: whose time has come, behind others of their ordering key, and the first of them.
  in_line int8 not null,
  keys_in_line int8 not null,
  oldest_in_line_at timestamptz,
  -- Given up and not replayed, and hosts that are left alone, whatever was counted.
  dead int8 not null,
  hosts int4 not null
);

-- Hosts of clients that do not answer, or said that they are gone. No row: all is well.
create table host_circuits (
  -- Or the endpoint whose calls fail there: one endpoint's host says nothing of another's.
  client uuid not null,
  -- Host and port, and a path prefix that the client names; * for all hosts.
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
