-- after: clients
-- Endpoints of clients: destinations of calls, and their rules (docs/decisions/0090-endpoints-of-clients.md).

-- Each change of an endpoint increments its client's revision and installation.clients_revision in the same
-- transaction.
create table client_endpoints (
  -- Derived from client and name, so that a recreated endpoint keeps the jobs that refer to it. The id of `default` is
  -- its client's id.
  id uuid primary key,
  client uuid not null references clients on delete cascade,
  name text not null,
  revision int not null default 1,
  -- URL of all calls. Null: each job has a URL of its own, which only `default` allows.
  url text,
  -- Rules of the endpoint; for all others, the rules of `default` apply.
  definition jsonb not null,
  -- False on `default`: the client's jobs are refused, and none of its endpoints is called.
  enabled boolean not null default true,
  disabled_reason text,
  -- Authorization of the endpoint's calls. Secrets in it are encrypted for its client.
  auth jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (client, name),
  check ((name = 'default') = (id = client)),
  check (url is not null or id = client)
);

-- Signing secrets (Standard Webhooks), encrypted. Several may be valid at once during a rotation. An endpoint without
-- secrets signs with those of `default`.
create table client_endpoint_secrets (
  id uuid primary key,
  endpoint uuid not null references client_endpoints on delete cascade,
  sealed text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz
);
create index client_endpoint_secrets_of_endpoint on client_endpoint_secrets (endpoint);
