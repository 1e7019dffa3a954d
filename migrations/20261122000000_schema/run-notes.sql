-- after: access, runs
-- Note of a person about a run, for later readers of its figures.
create table run_notes (
  run uuid primary key references runs on delete cascade,
  revision int not null default 1,
  -- Text of the note; null if the note was removed.
  text text,
  written_by uuid not null references api_keys,
  written_at timestamptz not null default now()
);
