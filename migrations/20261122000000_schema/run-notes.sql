-- after: access, runs
-- Text that people write about a run for later readers of its figures.
create table run_notes (
  run uuid primary key references runs on delete cascade,
  revision int not null default 1,
  -- Null: the note was removed.
  text text,
  written_by uuid not null references api_keys,
  written_at timestamptz not null default now()
);
