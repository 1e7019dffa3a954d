-- after: nothing
-- Combinations of sources that campaigns copy (docs/decisions/0101-saved-audiences-counts-and-use.md).

create table saved_audiences (
  id uuid primary key,
  name text not null,
  revision int not null default 1,
  -- Account whose quota counts the changes (api_keys.account); null: none.
  account uuid,
  -- Last estimate: {"revision", "atLeast", "atMost", "asOf"}; null if none was requested.
  estimate jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table saved_audience_revisions (
  saved_audience uuid not null references saved_audiences on delete cascade,
  revision int not null,
  definition jsonb not null,
  account uuid,
  created_at timestamptz not null default now(),
  primary key (saved_audience, revision)
);
create index saved_audience_revisions_of_account on saved_audience_revisions (account, created_at)
  where account is not null;
