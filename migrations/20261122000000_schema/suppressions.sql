-- after: nothing
-- Suppression lists of the installation: users whom no step of an action type calls
-- (docs/decisions/0085-gates-before-a-call.md).

-- Users under a number. in-force: suppression_lists names the number; loading: an upload fills it; gone: another number
-- has replaced it. Users of a gone number are deleted in chunks, and its row follows when no upload names it and a
-- later number exists. So no number is used twice.
create table suppression_numbers (
  list_no int primary key,
  -- Action type, or * for all of them.
  action_type text not null,
  state text not null check (state in ('loading', 'in-force', 'gone')),
  created_at timestamptz not null default now()
);
create index suppression_numbers_gone on suppression_numbers (list_no) where state = 'gone';

-- One row for each action type that ever had a list; claims read the table, so it is small.
create table suppression_lists (
  action_type text primary key,
  list_no int not null references suppression_numbers,
  -- Incremented by every change.
  version int not null default 1,
  people bigint not null default 0,
  changed_at timestamptz not null default now()
);

create table suppressed_people (
  list_no int not null,
  user_id text collate "C" not null,
  -- Reason given with the user; null for most.
  note text,
  added_at timestamptz not null default now(),
  primary key (list_no, user_id)
);
-- Index of users added while a replacement of their list is loaded: they are added to the replacement.
create index suppressed_people_added on suppressed_people using brin (added_at);

-- Uploaded files, with their results.
create table suppression_uploads (
  id uuid primary key,
  action_type text not null,
  mode text not null check (mode in ('replace', 'add')),
  state text not null check (state in ('receiving', 'done', 'failed')),
  cause text,
  note text,
  -- Number under which an upload loads, until its whole file is accepted.
  list_no int references suppression_numbers,
  rows bigint not null default 0,
  -- Users added; for a replacement, all users on the list with it.
  people bigint not null default 0,
  rejected bigint not null default 0,
  -- The first rejects: a JSON list of {"line", "value", "rule"}.
  rejects jsonb not null default '[]',
  created_at timestamptz not null default now(),
  -- Updated while rows arrive: an upload without progress is dead.
  heard_at timestamptz not null default now(),
  ended_at timestamptz
);
-- Deleted by retention, as uploaded lists are.
create index suppression_uploads_by_end on suppression_uploads (ended_at) where ended_at is not null;
create index suppression_uploads_of_number on suppression_uploads (list_no) where list_no is not null;
create unique index suppression_uploads_receiving on suppression_uploads (action_type) where state = 'receiving';
