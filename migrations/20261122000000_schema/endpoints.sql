-- after: clients
-- Endpoints of clients: where calls go, and by which rules (docs/decisions/0090-endpoints-of-clients.md).

-- Each change moves its client's revision and installation.clients_revision in the same transaction.
create table client_endpoints (
  -- Of client and name, so that one that is made again has the jobs that name it.
  id uuid primary key,
  client uuid not null references clients on delete cascade,
  name text not null,
  revision int not null default 1,
  url text not null,
  -- What it says itself; for what is missing, its client's.
  definition jsonb not null,
  enabled boolean not null default true,
  disabled_reason text,
  -- As of a client: secrets in it are sealed, for its client.
  auth jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (client, name)
);

-- Its own; without any, its calls are signed by its client's.
create table client_endpoint_keys (
  id uuid primary key,
  endpoint uuid not null references client_endpoints on delete cascade,
  sealed text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz
);
create index client_endpoint_keys_of_endpoint on client_endpoint_keys (endpoint);
