-- Suppression lists of the installation: people whom no step of an action type calls
-- (docs/decisions/0085-withheld-before-the-call.md).

-- People under a number. It is the one in force where suppression_lists names it; loading while an upload fills it; and
-- gone when another has taken its place: its people leave in chunks, and its row with the last of them.
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
