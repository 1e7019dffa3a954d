-- after: installation
-- Messages and steps that wait for a person's decision (docs/decisions/0022-quarantined-steps.md).

-- Messages that could not be read.
create table dead_letters (
  id uuid primary key,
  topic text not null,
  partition int not null,
  "offset" bigint not null,
  key bytea,
  value bytea,
  -- A recreated topic restarts at offset 0: the digest distinguishes its messages from earlier ones.
  digest bytea not null generated always as
    (sha256(coalesce(key, ''::bytea) || sha256(coalesce(value, ''::bytea)))) stored,
  reason text not null,
  -- kept: not decided. replaying: a trigger is about to publish it again. replayed, discarded: decided.
  state text not null default 'kept' check (state in ('kept', 'replaying', 'replayed', 'discarded')),
  replays int not null default 0,
  created_at timestamptz not null default now(),
  settled_at timestamptz,
  constraint dead_letters_once unique (topic, partition, "offset", digest)
);
create index dead_letters_replaying on dead_letters (id) where state = 'replaying';

-- Steps whose calls ended their workers repeatedly, inserted when they are quarantined. Their users are unknown until a
-- person replays the step.
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

-- Calls that began for steps with lapsed leases, and their workers. Such steps are rare.
create table step_begins (
  feed uuid not null,
  batch_no int not null,
  step int2 not null,
  epoch int not null,
  worker text,
  at timestamptz not null default now(),
  primary key (feed, batch_no, step, epoch)
);
