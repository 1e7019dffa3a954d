-- after: nothing
-- Suppression lists of the installation: users whom no step of an action type calls
-- (docs/decisions/0085-gates-before-a-call.md).

-- Versions of suppression lists, identified by a number. loading: an upload fills the version. in-force:
-- suppression_lists refers to it. gone: another version has replaced it. Users of a gone version are deleted in chunks.
-- Its row is deleted when no upload refers to it and a later number exists, so that no number is used twice.
create table suppression_list_versions (
  list_no int primary key,
  -- Action type; * for all action types.
  action_type text not null,
  state text not null check (state in ('loading', 'in-force', 'gone')),
  created_at timestamptz not null default now()
);
create index suppression_list_versions_gone on suppression_list_versions (list_no) where state = 'gone';

-- One row for each action type that ever had a list. The table is small, because claims read it.
create table suppression_lists (
  action_type text primary key,
  list_no int not null references suppression_list_versions,
  -- Version of the list; every change increments it.
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
-- Finds users that were added while a replacement of their list is loaded: they are added to the replacement too.
create index suppressed_people_added on suppressed_people using brin (added_at);

-- Uploaded files, with their results.
create table suppression_uploads (
  id uuid primary key,
  action_type text not null,
  mode text not null check (mode in ('replace', 'add')),
  state text not null check (state in ('receiving', 'done', 'failed')),
  cause text,
  note text,
  -- Version of the list that the upload fills, until the whole file is accepted.
  list_no int references suppression_list_versions,
  rows bigint not null default 0,
  -- Number of users that the upload added; for a replacement, number of all users on the new list.
  people bigint not null default 0,
  rejected bigint not null default 0,
  -- First rejected rows: a JSON list of {"line", "value", "rule"}.
  rejects jsonb not null default '[]',
  created_at timestamptz not null default now(),
  -- Time of the last received rows. An upload whose time does not change has failed.
  received_at timestamptz not null default now(),
  ended_at timestamptz
);
-- Retention deletes ended uploads, as it deletes uploaded lists.
create index suppression_uploads_by_end on suppression_uploads (ended_at) where ended_at is not null;
create index suppression_uploads_of_version on suppression_uploads (list_no) where list_no is not null;
create unique index suppression_uploads_receiving on suppression_uploads (action_type) where state = 'receiving';
