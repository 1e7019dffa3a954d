-- after: nothing
-- Saved audiences: combinations of sources that campaigns copy (docs/decisions/0101-saved-audiences-counts-and-use.md).

create table saved_audiences (
  id uuid primary key,
  name text not null,
  revision int not null default 1,
  -- Account whose quota counts the changes (api_keys.account); null: no quota.
  account uuid,
  -- Last estimate: {"revision", "atLeast", "atMost", "asOf"}; null if none was requested.
  estimate jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
