-- after: runs
-- Links to the report of a run for people without a key (docs/decisions/0015-life-of-campaigns-and-runs.md).
create table report_links (
  id uuid primary key,
  -- SHA-256 of the token in the link, which is not stored.
  digest text not null unique,
  run uuid not null references runs on delete cascade,
  created_by uuid not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index report_links_of_run on report_links (run, id);
