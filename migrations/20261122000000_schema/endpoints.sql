-- after: clients
-- Endpoints of clients: destinations of calls, and their rules (docs/decisions/0090-endpoints-of-clients.md).

-- Each change increments its client's revision and installation.clients_revision in the same transaction.
create table client_endpoints (
  -- Derived from client and name: a recreated endpoint keeps the jobs that name it.
  id uuid primary key,
  client uuid not null references clients on delete cascade,
  name text not null,
  revision int not null default 1,
  url text not null,
  -- The endpoint's own rules; its client's apply to the rest.
  definition jsonb not null,
  enabled boolean not null default true,
  disabled_reason text,
  -- Authorization as for a client: secrets in it are sealed for its client.
  auth jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (client, name)
);

-- Signing keys of the endpoint; without any, its client's keys sign.
create table client_endpoint_keys (
  id uuid primary key,
  endpoint uuid not null references client_endpoints on delete cascade,
  sealed text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz
);
create index client_endpoint_keys_of_endpoint on client_endpoint_keys (endpoint);
