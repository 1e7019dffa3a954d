-- after: nothing
-- Templates: definitions of campaigns with variables (docs/decisions/0015-life-of-campaigns-and-runs.md).

create table templates (
  id uuid primary key,
  name text not null,
  revision int not null default 1,
  -- Account whose quota counts the changes (api_keys.account); null: no quota.
  account uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
