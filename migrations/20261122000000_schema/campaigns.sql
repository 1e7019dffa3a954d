-- after: nothing
-- Campaigns, their starts, and uploaded lists of users.

create table campaigns (
  id uuid primary key,
  name text not null,
  state text not null check (state in ('draft', 'scheduled')),
  revision int not null,
  -- Account whose quota counts the runs (api_keys.account); null: no quota.
  account uuid,
  -- Description, owner, tags and metadata (docs/decisions/0015-life-of-campaigns-and-runs.md), and the saved audience
  -- that the sources were copied from (docs/decisions/0101-saved-audiences-counts-and-use.md).
  about jsonb not null default '{}',
  -- Public id of the saved audience in `about`.
  saved_audience text generated always as (about #>> '{savedAudience,id}') stored,
  -- Words of the description, for searching. Punctuation that the parser would read as part of a host, path or signed
  -- number is replaced by blanks.
  description_words tsvector not null generated always as
    (to_tsvector('simple', translate(coalesce(about ->> 'description', ''), '-_./:@+', '       '))) stored,
  -- Campaign and revision that this campaign was copied from; null: not copied.
  origin jsonb,
  -- Time at which the campaign was archived: no run starts from it (docs/decisions/0015-life-of-campaigns-and-runs.md).
  archived_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index campaigns_about on campaigns using gin (about jsonb_path_ops);
create index campaigns_description_words on campaigns using gin (description_words);
create index campaigns_of_saved_audience on campaigns (saved_audience, id) where saved_audience is not null;

-- One row for each due start of a campaign. The row is inserted once, never updated, and deleted by the transaction
-- that inserts the run.
create table run_starts (
  partition_id int2 not null,
  due_at timestamptz not null,
  id uuid not null,
  campaign uuid not null,
  revision int not null,
  -- Person or key that requested the start, in the form of the run's history: {"keyId": …, "keyName": …}; null: the
  -- schedule.
  requested_by jsonb,
  -- Settings of the run, as in runs.settings: {"canary": …}.
  settings jsonb not null default '{}',
  primary key (partition_id, due_at, id)
);
create index run_starts_of_campaign on run_starts (campaign);

-- Uploaded lists (docs/decisions/0024-files-of-users.md).
create table audiences (
  id uuid primary key,
  name text not null,
  state text not null check (state in ('receiving', 'ready', 'failed')),
  cause text,
  -- Country of all rows; null if each row has a country of its own.
  country text,
  -- Number of users by country.
  users jsonb not null default '{}',
  rows bigint not null default 0,
  duplicates bigint not null default 0,
  rejected bigint not null default 0,
  -- Account whose quota counts the list; null: no quota.
  account uuid,
  -- Person to contact about the list.
  owner text,
  -- True: the list is not deleted by its age.
  is_kept boolean not null default false,
  -- Total size of the received user ids, in bytes.
  bytes bigint not null default 0,
  -- Upload that may complete the list. A repeated request with the same idempotency key replaces it.
  attempt uuid not null,
  created_at timestamptz not null default now(),
  -- Time of the last received rows. An upload whose time does not change has failed.
  received_at timestamptz not null default now(),
  ready_at timestamptz
);
create index audiences_of_account on audiences (account);

-- Users of a list in ascending order, about a thousand per row. A page is found by one index search for the last user
-- of the page before.
create table audience_parts (
  audience uuid not null,
  country text collate "C" not null,
  last_user text collate "C" not null,
  n int not null,
  -- User ids, separated by line breaks, which no id contains.
  users text not null,
  primary key (audience, country, last_user)
);

create table audience_rejects (
  audience uuid not null,
  line bigint not null,
  value text not null,
  rule text not null,
  primary key (audience, line)
);
