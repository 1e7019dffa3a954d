-- after: nothing
-- Campaigns, when they start, and uploaded lists of users.

create table campaigns (
  id uuid primary key,
  name text not null,
  state text not null check (state in ('draft', 'scheduled')),
  revision int not null,
  -- Whose quota its runs count in (api_keys.account); null: no one's.
  account uuid,
  -- Description, owner, tags and metadata, those that are given (docs/decisions/0015-life-of-campaigns-and-runs.md);
  -- and which saved audience its sources were taken from (docs/decisions/0101-saved-audiences-counts-and-use.md).
  about jsonb not null default '{}',
  -- The public id of that one.
  saved_audience text generated always as (about #>> '{savedAudience,id}') stored,
  -- The words of the description, parted where the parser would see a host, a path or a number with its sign.
  words tsvector not null generated always as
    (to_tsvector('simple', translate(coalesce(about ->> 'description', ''), '-_./:@+', '       '))) stored,
  -- The campaign that it is a copy of, and which revision of it.
  origin jsonb,
  -- Put away: nothing begins from it (docs/decisions/0015-life-of-campaigns-and-runs.md).
  archived_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index campaigns_about on campaigns using gin (about jsonb_path_ops);
create index campaigns_words on campaigns using gin (words);
create index campaigns_of_saved_audience on campaigns (saved_audience, id) where saved_audience is not null;

create table campaign_revisions (
  campaign uuid not null references campaigns,
  revision int not null,
  definition jsonb not null,
  -- Of whoever wrote it.
  account uuid,
  -- The key that wrote it.
  written_by uuid,
  created_at timestamptz not null default now(),
  primary key (campaign, revision)
);
create index campaign_revisions_of_account on campaign_revisions (account, created_at) where account is not null;
-- Which campaigns name an uploaded list.
create index campaign_revisions_audience on campaign_revisions using gin ((definition -> 'audience') jsonb_path_ops);

-- One row per start that is due once. Inserted once, deleted by the transaction that makes its run; never updated.
create table run_starts (
  partition_id int2 not null,
  due_at timestamptz not null,
  id uuid not null,
  campaign uuid not null,
  revision int not null,
  -- Who asked for it, as the run's history says it: {"keyId": …, "keyName": …}. Null: its schedule.
  asked_by jsonb,
  primary key (partition_id, due_at, id)
);
create index run_starts_of_campaign on run_starts (campaign);

-- Uploaded lists (docs/decisions/0024-files-of-users.md).
create table audiences (
  id uuid primary key,
  name text not null,
  state text not null check (state in ('receiving', 'ready', 'failed')),
  -- Why it failed, for people.
  cause text,
  -- Of all rows; null where each row has its own.
  country text,
  -- Users by country.
  users jsonb not null default '{}',
  rows bigint not null default 0,
  duplicates bigint not null default 0,
  rejected bigint not null default 0,
  -- Whose quota it counts in; null: no one's.
  account uuid,
  -- Whom to ask about it.
  owner text,
  -- Of its users' ids, as far as they have come.
  bytes bigint not null default 0,
  -- The upload that may end it: a request that was made anew under the same key takes it over.
  attempt uuid not null,
  created_at timestamptz not null default now(),
  -- Moved while rows come: an upload without a sign of life is dead.
  received_at timestamptz not null default now(),
  ready_at timestamptz
);
create index audiences_of_account on audiences (account);

-- About a thousand users each, ascending: a page is one look-up by the last user before it.
create table audience_parts (
  audience uuid not null,
  country text collate "C" not null,
  last_user text collate "C" not null,
  n int not null,
  -- Separated by line breaks, which no id holds.
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
