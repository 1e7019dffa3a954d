-- after: installation
-- API keys, sessions, and the audit log (docs/decisions/0034-access.md).

create table api_keys (
  id uuid primary key,
  name text not null,
  -- Person to contact about the key.
  owner text,
  -- Persons behind the present and earlier owners; similar spellings are one person
  -- (docs/decisions/0082-how-approvals-work.md).
  persons text[] not null default '{}',
  -- Keys that created this key, changed it, or issued a secret for it.
  changed_by uuid[] not null default '{}',
  role text not null check (role in ('viewer', 'scheduler', 'manager', 'approver', 'operator')),
  -- Scope of the key: clients, countries and action types. Null: no limit on that kind (docs/decisions/0034-access.md).
  clients uuid[],
  countries text[],
  action_types text[],
  -- True: the key may read the users of its campaigns (docs/decisions/0034-access.md).
  reads_users boolean not null default false,
  -- Limits of the key itself, which apply in addition to those of its clients; null: no limit
  -- (docs/decisions/0034-access.md).
  jobs_per_second int check (jobs_per_second > 0),
  stored_jobs int check (stored_jobs > 0),
  requests_per_minute int check (requests_per_minute > 0),
  revision int not null default 1,
  created_at timestamptz not null default now(),
  -- Key that created this key; null: created directly on the database.
  created_by uuid,
  -- Key whose quotas count this key's use: this key, or its creator if the creator has a scope
  -- (docs/decisions/0034-access.md).
  account uuid not null,
  expires_at timestamptz,
  -- Time of the last use, precise to the minute.
  last_used_at timestamptz,
  rotated_at timestamptz,
  revoked_at timestamptz,
  -- Number of requests with an expired or replaced secret of this key, since the expiry was set or the key was rotated.
  -- Each API process counts them, and adds its count here at most once a minute.
  refused_count int8 not null default 0,
  last_refused_at timestamptz,
  -- IP address of the last refused request's connection.
  last_refused_from text,
  -- Subject at an OpenID Connect issuer: a person or a program that has no secret here. The rights of a request come
  -- from its token; this row stores the rights of the last token (docs/decisions/0034-access.md).
  issuer text,
  subject text,
  check ((issuer is null) = (subject is null))
);
create unique index api_keys_of_issuer on api_keys (issuer, subject) where issuer is not null;

-- Returns a key together with the keys and the persons behind it. Keys behind a key have created or changed it,
-- directly or through other keys.
create function key_holder(of_key uuid) returns jsonb language sql stable as $$
  with recursive behind (key) as (
    select of_key
    union
    select c.key from behind b join api_keys k on k.id = b.key cross join lateral unnest(k.changed_by) c (key)
  ), persons (person) as (
    select distinct p.person
    from behind b join api_keys k on k.id = b.key cross join lateral unnest(k.persons) p (person)
  )
  select jsonb_build_object('key', of_key, 'owner', (select owner from api_keys where id = of_key),
    'persons', coalesce((select to_jsonb(persons) from api_keys where id = of_key), '[]'),
    'behind', jsonb_build_object(
      'keys', (select coalesce(jsonb_agg(key), '[]') from behind where key is not null),
      'persons', (select coalesce(jsonb_agg(person), '[]') from persons)),
    'isSignedIn', coalesce((select issuer is not null from api_keys where id = of_key), false))
$$;

-- Total number of jobs submitted with keys that have a rate of their own, by API process. Each process reports its
-- number once a second while jobs arrive.
create table api_key_rates (
  api_key uuid not null,
  process uuid not null,
  jobs bigint not null,
  reported_at timestamptz not null default now(),
  primary key (api_key, process)
) with (fillfactor = 50);

-- API keys whose coming expiry was reported. last_due_at is a time before the expiry (14 or 3 days): the last one at
-- which a report was due (docs/decisions/0034-access.md).
create table api_key_expiry_notifications (
  api_key uuid primary key,
  last_due_at timestamptz not null
);

-- Uses of a key by day (UTC) and API operation. Each API process counts them, and adds its counts at most once a
-- minute. Rows are kept for eight days (docs/decisions/0037-runtime-statistics.md).
create table api_key_calls (
  api_key uuid not null,
  day date not null,
  -- Operation id of the OpenAPI document.
  operation text not null,
  done int8 not null,
  refused int8 not null,
  failed int8 not null,
  last_at timestamptz not null,
  primary key (api_key, day, operation)
);
create index api_key_calls_by_day on api_key_calls (day);

-- People and programs with a valid token that Muster refused: the last thousand at most, for thirty days. They may have
-- no row in api_keys.
create table refused_people (
  issuer text not null,
  subject text not null,
  name text,
  code text not null check (code in ('no-role', 'shut-out')),
  detail text not null,
  -- Number of refusals since Muster last admitted the subject.
  count int8 not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- IP address of the last refused request's connection.
  last_from text,
  primary key (issuer, subject)
);

-- Secrets of keys. A key has one secret; after a rotation it also has its former secrets until their overlap ends.
create table api_key_secrets (
  -- SHA-256 of the secret, which is not stored.
  digest text primary key,
  api_key uuid not null references api_keys on delete cascade,
  expires_at timestamptz
);
create index api_key_secrets_of_key on api_key_secrets (api_key);

-- Sessions, identified by the SHA-256 of the cookie's value. Expired rows are deleted; no other table references them.
create table sessions (
  digest text primary key,
  api_key uuid not null references api_keys on delete cascade,
  created_at timestamptz not null default now(),
  -- Session ends at this time unless it is used; each use extends it.
  idle_expires_at timestamptz not null,
  expires_at timestamptz not null,
  -- Rights of a session that was opened with an issuer's token. If role is null, the session has the rights of its key.
  role text,
  clients uuid[],
  countries text[],
  action_types text[],
  reads_users boolean not null default false
);
create index sessions_of_key on sessions (api_key);
create index sessions_by_end on sessions (least(idle_expires_at, expires_at));

-- Links that open a session once; a used link is deleted.
create table session_links (
  digest text primary key,
  api_key uuid not null references api_keys on delete cascade,
  expires_at timestamptz not null
);
create index session_links_by_end on session_links (expires_at);

-- Idempotency keys with their first response. status is null until the response exists.
create table idempotency_keys (
  api_key uuid not null,
  key text not null,
  body_digest text not null,
  status int2,
  body text,
  created_at timestamptz not null default now(),
  primary key (api_key, key)
);

-- Audit log: every successful change through the API, every change refused because of an object's state, every export
-- of people, and every change of the services' settings. Only append_audit adds entries. Each entry has a number,
-- without gaps, and a hash that includes the previous entry's hash.
create table audit_log (
  id uuid primary key default uuid_of_now(),
  number bigint not null,
  hash bytea not null,
  at timestamptz not null default now(),
  -- API key of the request; null if it had none, which no route allows today.
  api_key uuid,
  method text not null,
  route text not null,
  -- Public id, or name, of the changed object.
  subject text,
  status int2 not null,
  request_id text not null,
  -- The limit is eight times the maximum size of a request.
  detail jsonb not null default '{}' check (octet_length(detail::text) <= 8388608)
);
create unique index audit_log_by_number on audit_log (number);
create index audit_log_of_subject on audit_log (subject, id);

-- Number and hash of the newest entry of the audit log, and of the last deleted entry. The hash is 32 zero bytes if
-- there is no such entry.
create table audit_head (
  number bigint not null default 0,
  hash bytea not null default decode(repeat('00', 32), 'hex'),
  last_deleted_number bigint not null default 0,
  last_deleted_hash bytea not null default decode(repeat('00', 32), 'hex'),
  singleton boolean primary key default true check (singleton)
);
insert into audit_head default values;

-- Appends an entry. The function is one statement, so that concurrent entries are serialized and none waits for another
-- process's round trip. It runs with the owner's rights, because only the owner may write to the two tables. The same
-- holds for all functions for changes that a service must not make itself (docs/decisions/0099-database-roles.md).
create function append_audit(
  of_key uuid, of_method text, of_route text, of_subject text, of_status int2, of_request text, of_detail jsonb
) returns table (number bigint, hash bytea) language sql volatile security definer set search_path = public, pg_temp as $$
  with entry as materialized (select uuid_of_now() as id, now() as at), head as (
    update audit_head h set number = h.number + 1, hash = sha256(h.hash || convert_to(json_build_array(
      h.number + 1, e.id, (extract(epoch from e.at) * 1000000)::bigint, of_key, of_method, of_route, of_subject,
      of_status, of_request, of_detail::text)::text, 'UTF8'))
    from entry e returning h.number, h.hash, e.id, e.at
  )
  insert into audit_log as a (id, number, hash, at, api_key, method, route, subject, status, request_id, detail)
  select head.id, head.number, head.hash, head.at, of_key, of_method, of_route, of_subject, of_status, of_request,
    of_detail from head
  returning a.number, a.hash
$$;

-- Deletes the oldest entries: those older than `days` (at least 30), at most `most` of them and at most 10,000. The
-- remaining entries can still be verified, beginning with the first one after the deleted entries. Returns the deleted
-- numbers.
create function delete_audit_entries(days int, most int) returns setof bigint
language sql volatile security definer set search_path = public, pg_temp as $$
  with oldest as (select number, at, hash from audit_log order by number
    limit least(greatest(coalesce(most, 0), 0), 10000)), old as (
    select number, hash from oldest where number < all (
      select number from oldest where at > now() - least(greatest(days, 30), 36500) * interval '1 day')
  ), gone as (delete from audit_log where number in (select number from old)), cut as (
    update audit_head set last_deleted_number = o.number, last_deleted_hash = o.hash
    from (select number, hash from old order by number desc limit 1) o
  )
  select number from old
$$;

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.at <= now() - interval '30 days' then
    return old;
  end if;
  raise exception 'the audit log only grows: % is refused', lower(tg_op) using errcode = 'insufficient_privilege';
end $$;
create trigger audit_log_is_append_only before update or delete on audit_log
  for each row execute function refuse_audit_change();
create trigger audit_log_refuses_truncate before truncate on audit_log
  for each statement execute function refuse_audit_change();
