-- after: runs
-- Links that show the report of a run to people without a key (docs/decisions/0015-life-of-campaigns-and-runs.md).
create table report_links (
  id uuid primary key,
  -- SHA-256 of what is in the link, which itself is nowhere.
  digest text not null unique,
  run uuid not null references runs on delete cascade,
  -- The key that made it.
  made_by uuid not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index report_links_of_run on report_links (run, id);
