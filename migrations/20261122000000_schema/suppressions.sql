-- after: nothing
-- Suppression lists of the installation: people whom no step of an action type calls
-- (docs/decisions/0085-gates-before-a-call.md).

-- People under a number. It is the one in force where suppression_lists names it; loading while an upload fills it; and
-- gone when another has taken its place: its people leave in chunks, and its row follows, once no upload names it and a
-- later number was taken. So no number is taken twice.
create table suppression_numbers (
  list_no int primary key,
  -- An action type, or * for all of them.
  action_type text not null,
  state text not null check (state in ('loading', 'in-force', 'gone')),
  created_at timestamptz not null default now()
);
create index suppression_numbers_gone on suppression_numbers (list_no) where state = 'gone';

-- One row for each action type that ever had a list; the claims read it, so it is small.
create table suppression_lists (
  action_type text primary key,
  list_no int not null references suppression_numbers,
  -- Moves with every change.
  version int not null default 1,
  people bigint not null default 0,
  changed_at timestamptz not null default now()
);

create table suppressed_people (
  list_no int not null,
  user_id text collate "C" not null,
  -- Why, as whoever put them there said; null for most.
  note text,
  added_at timestamptz not null default now(),
  primary key (list_no, user_id)
);
-- Whom a replaced list has got while its replacement was loaded: they come along.
create index suppressed_people_added on suppressed_people using brin (added_at);

-- Files that brought people, the newest first: what came of each.
create table suppression_uploads (
  id uuid primary key,
  action_type text not null,
  mode text not null check (mode in ('replace', 'add')),
  state text not null check (state in ('receiving', 'done', 'failed')),
  -- Why it failed, for people.
  cause text,
  note text,
  -- The number under which an upload loads, until its whole file is accepted.
  list_no int references suppression_numbers,
  rows bigint not null default 0,
  -- People that it has brought; of a replacement, those on the list with it.
  people bigint not null default 0,
  rejected bigint not null default 0,
  -- The first of them: a JSON list of {"line", "value", "rule"}.
  rejects jsonb not null default '[]',
  created_at timestamptz not null default now(),
  -- Moved while rows come: an upload without a sign of life is dead.
  heard_at timestamptz not null default now(),
  ended_at timestamptz
);
-- They go as uploaded lists do.
create index suppression_uploads_by_end on suppression_uploads (ended_at) where ended_at is not null;
create index suppression_uploads_of_number on suppression_uploads (list_no) where list_no is not null;
-- One at a time for each list.
create unique index suppression_uploads_receiving on suppression_uploads (action_type) where state = 'receiving';
