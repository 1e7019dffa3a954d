-- after: installation
-- Messages and steps that wait until a person decides what to do (docs/decisions/0022-quarantined-steps.md).

-- Messages that could not be read.
create table dead_letters (
  id uuid primary key,
  topic text not null,
  partition int not null,
  "offset" bigint not null,
  key bytea,
  value bytea,
  -- A recreated topic restarts at offset 0. The digest distinguishes its messages from earlier messages with the same
  -- offset.
  digest bytea not null generated always as
    (sha256(coalesce(key, ''::bytea) || sha256(coalesce(value, ''::bytea)))) stored,
  reason text not null,
  -- kept: waits for a decision. replaying: a trigger is about to publish the message again. replayed, discarded:
  -- decided.
  state text not null default 'kept' check (state in ('kept', 'replaying', 'replayed', 'discarded')),
  replays int not null default 0,
  created_at timestamptz not null default now(),
  settled_at timestamptz,
  constraint dead_letters_once unique (topic, partition, "offset", digest)
);
create index dead_letters_replaying on dead_letters (id) where state = 'replaying';

-- Steps whose calls repeatedly crashed their workers. A row is inserted when the step is quarantined. The outcomes of
-- its users are unknown until a person replays the step.
create table quarantined_steps (
  id uuid primary key default uuid_of_now(),
  feed uuid not null,
  batch_no int not null,
  step int2 not null,
  state text not null default 'kept' check (state in ('kept', 'replayed', 'discarded')),
  users int not null,
  lapses int2 not null,
  worker text,
  since timestamptz not null default now(),
  decided_at timestamptz
);
create index quarantined_steps_of_step on quarantined_steps (feed, batch_no, step);

-- Begun calls of steps whose lease has lapsed before, with their workers. Such steps are rare.
create table step_call_starts (
  feed uuid not null,
  batch_no int not null,
  step int2 not null,
  epoch int not null,
  worker text,
  at timestamptz not null default now(),
  primary key (feed, batch_no, step, epoch)
);
