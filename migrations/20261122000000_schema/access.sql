-- Keys, sessions, and what was changed by them (docs/decisions/0034-sessions-and-roles.md,
-- 0055-keys-with-owners-and-scopes.md).

create table api_keys (
  id uuid primary key,
  name text not null,
  -- Whom to ask about it.
  owner text,
  role text not null check (role in ('viewer', 'scheduler', 'manager', 'approver', 'operator')),
  -- What of the installation it is for; null: all of that kind (docs/decisions/0055-keys-with-owners-and-scopes.md).
  clients uuid[],
  countries text[],
  action_types text[],
  revision int not null default 1,
  created_at timestamptz not null default now(),
  -- The key that made it; null: made on the database.
  made_by uuid,
  -- The key that its quotas are counted by: its own, or that of its maker where that has a scope
  -- (docs/decisions/0070-quotas-by-account.md).
  account uuid not null,
  expires_at timestamptz,
  -- Kept to the minute.
  last_used_at timestamptz,
  rotated_at timestamptz,
  revoked_at timestamptz
);

-- What opens a key: one secret, and after a rotation the former ones until their overlap ends.
create table api_key_secrets (
  -- SHA-256 of the secret, which itself is nowhere.
  digest text primary key,
  api_key uuid not null references api_keys on delete cascade,
  expires_at timestamptz
);
create index api_key_secrets_of_key on api_key_secrets (api_key);

-- Log-ins by key, under the SHA-256 of what is in the cookie. What has expired is swept; nothing refers to it.
create table sessions (
  digest text primary key,
  api_key uuid not null references api_keys on delete cascade,
  created_at timestamptz not null default now(),
  -- Moves on while it is used.
  idle_until timestamptz not null,
  expires_at timestamptz not null
);
create index sessions_of_key on sessions (api_key);
create index sessions_by_end on sessions (least(idle_until, expires_at));

-- Links that open a session once. A used one is deleted.
create table session_links (
  digest text primary key,
  api_key uuid not null references api_keys on delete cascade,
  expires_at timestamptz not null
);
create index session_links_by_end on session_links (expires_at);

-- Requests that may be sent again, with their first answer; none yet while status is null.
create table idempotency_keys (
  api_key uuid not null,
  key text not null,
  body_digest text not null,
  status int2,
  body text,
  created_at timestamptz not null default now(),
  primary key (api_key, key)
);

-- Every change through the API that succeeded, or that a state refused.
create table audit_log (
  id uuid primary key default uuid_of_now(),
  at timestamptz not null default now(),
  -- Null where there was none, which no route allows today.
  api_key uuid,
  method text not null,
  route text not null,
  -- The public id, or the name, of what was changed.
  subject text,
  status int2 not null,
  request_id text not null,
  detail jsonb not null default '{}'
);
create index audit_log_of_subject on audit_log (subject, id);
