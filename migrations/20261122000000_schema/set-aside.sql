-- after: installation
-- What waits for the decision of a person (docs/decisions/0022-quarantined-steps.md).

-- Messages that could not be read.
create table dead_letters (
  id uuid primary key,
  topic text not null,
  partition int not null,
  "offset" bigint not null,
  key bytea,
  value bytea,
  -- A topic that is made anew begins at offset 0 again: the bytes tell its messages from those that were there before.
  digest bytea not null generated always as
    (sha256(coalesce(key, ''::bytea) || sha256(coalesce(value, ''::bytea)))) stored,
  reason text not null,
  -- kept: not decided. replaying: a trigger is to publish it again. replayed, discarded: over.
  state text not null default 'kept' check (state in ('kept', 'replaying', 'replayed', 'discarded')),
  replays int not null default 0,
  created_at timestamptz not null default now(),
  settled_at timestamptz,
  constraint dead_letters_once unique (topic, partition, "offset", digest)
);
create index dead_letters_replaying on dead_letters (id) where state = 'replaying';

-- Steps whose calls ended their workers again and again, written as they end. Their users are unknown until a person
-- opens the step again.
create table quarantined_steps (
  id uuid primary key default uuid_of_now(),
  feed uuid not null,
  batch_no int not null,
  step int2 not null,
  state text not null default 'kept' check (state in ('kept', 'replayed', 'discarded')),
  users int not null,
  lapses int2 not null,
  -- Of its last lease.
  worker text,
  since timestamptz not null default now(),
  decided_at timestamptz
);
create index quarantined_steps_of_step on quarantined_steps (feed, batch_no, step);

-- Calls that began for steps whose lease had lapsed before, and by which worker. Such steps are rare.
create table step_begins (
  feed uuid not null,
  batch_no int not null,
  step int2 not null,
  epoch int not null,
  worker text,
  at timestamptz not null default now(),
  primary key (feed, batch_no, step, epoch)
);
