-- after: clients
-- Endpoints of clients: destinations of calls, and their rules (docs/decisions/0090-endpoints-of-clients.md).

-- Each change increments its client's revision and installation.clients_revision in the same transaction.
create table client_endpoints (
  -- Derived from client and name: a recreated endpoint keeps the jobs that name it. `default` has its client's id.
  id uuid primary key,
  client uuid not null references clients on delete cascade,
  name text not null,
  revision int not null default 1,
  -- Null: each job has its own, which only `default` allows.
  url text,
  -- The endpoint's own rules; those of `default` apply to the rest.
  definition jsonb not null,
  -- False of `default`: nothing is accepted for the client, and none of its endpoints is called.
  enabled boolean not null default true,
  disabled_reason text,
  -- Authorization of its calls; secrets in it are sealed for its client.
  auth jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (client, name),
  check ((name = 'default') = (id = client)),
  check (url is not null or id = client)
);

-- Standard Webhooks secrets, sealed; several may be valid at once, for rotation. Without any, those of `default` sign.
create table client_endpoint_keys (
  id uuid primary key,
  endpoint uuid not null references client_endpoints on delete cascade,
  sealed text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz
);
create index client_endpoint_keys_of_endpoint on client_endpoint_keys (endpoint);
