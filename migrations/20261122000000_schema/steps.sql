-- after: nothing
-- Ledger of the batches' steps (docs/states.md, docs/decisions/0010-answers-agenda-and-partitions.md).

-- state: 1 running, 2 waiting, 3 done. A claim inserts the row. A further index would prevent HOT updates.
create table batch_steps (
  feed uuid not null,
  batch_no int not null,
  step int2 not null,
  state int2 not null,
  epoch int not null,
  -- Number of answered calls, which maxAttempts limits. Claims do not count.
  attempts int2 not null default 0,
  -- Number of lapsed leases under which a call had begun; for the first one, a call may have begun. -1: no such lease,
  -- and each begin is recorded before the call (in steps with a check).
  lapses int2 not null default 0,
  lease_until timestamptz,
  -- Time of the next attempt. The value stays when a waiting row is claimed, and is null in every other running row. So
  -- a claim of a waiting row can be recognized.
  next_attempt_at timestamptz,
  -- Outcome of all users without a row of their own: 1 succeeded, 2 expired, 3 cancelled; null while not done.
  rest int2,
  rest_users int2,
  -- Digest of all users lost by the end of this step (shared/domain/step/lost-users.ts). Null if no users were lost,
  -- and in the last step. It is written with the result; a list of lost users in a message is trusted only if it
  -- matches.
  lost_digest text,
  failed int2,
  unknown int2,
  -- True: a call of this step with the same idempotency key may have been applied, and no complete answer has arrived
  -- since.
  open boolean not null default false,
  -- True: the call has begun. Set before the call, only in rows with lapses (rare, so it costs little). If the lease
  -- lapses again, the call is known to have begun.
  begun boolean not null default false,
  owner text,
  cause text,
  primary key (feed, batch_no, step)
) partition by range (feed);

-- Calls without a final result: released, split, retried, or by a lost worker. Calls that succeed at once have no row.
create table step_attempts (
  feed uuid not null,
  batch_no int not null,
  step int2 not null,
  epoch int not null,
  at timestamptz not null default now(),
  reading text not null,
  cause text,
  -- Details that the endpoint reported for users that continue: a JSON list of {"code", "detail", "users"}.
  users text,
  primary key (feed, batch_no, step, epoch)
) partition by range (feed);

-- Agenda: steps that did not succeed at once, with the time at which the sweeper offers them again. The statements of
-- an ordinary flush do not touch this table.
create table agenda (
  feed uuid not null,
  batch_no int not null,
  step int2 not null,
  offer_at timestamptz not null,
  offers int2 not null default 0,
  primary key (feed, batch_no, step)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
create index agenda_due on agenda (feed, offer_at);

-- Marks of the sweeper. Each fed batch below the mark is done in this step, or on the agenda, or did not survive an
-- earlier step.
create table sweep_marks (
  feed uuid not null,
  step int2 not null,
  below int not null,
  primary key (feed, step)
);

-- Steps whose endpoint is not called. A 'fault' lasts until a person has fixed the cause; trial batches test that
-- periodically. 'quiet-hours' last until their end. Each kind has a row of its own, so that the end of one does not end
-- the other (docs/decisions/0085-gates-before-a-call.md).
create table holds (
  feed uuid not null,
  step int2 not null,
  kind text not null check (kind in ('fault', 'quiet-hours')),
  cause text not null,
  since timestamptz not null default now(),
  batches int not null default 1,
  next_try_at timestamptz not null,
  -- End of quiet hours; null for a fault.
  until timestamptz,
  primary key (feed, step, kind),
  constraint holds_end_by_kind check ((kind = 'quiet-hours') = (until is not null))
);

-- Reasons why batches were released. For display only.
create table step_causes (
  feed uuid not null,
  step int2 not null,
  cause text not null,
  since timestamptz not null default now(),
  last_at timestamptz not null default now(),
  batches int not null default 0,
  primary key (feed, step, cause)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Sums of a feed's steps. Rows are split into slots, so that workers do not wait for each other. Batches that are ready
-- for a step: ready(feed, step) = entered + created - done - waiting. Here entered(1) = fed batches, and entered(k + 1)
-- = survived(k).
create table run_totals (
  feed uuid not null,
  step int2 not null,
  slot int2 not null,
  -- Number of recorded fed batches.
  batches int not null default 0,
  succeeded bigint not null default 0,
  failed bigint not null default 0,
  expired bigint not null default 0,
  cancelled bigint not null default 0,
  unknown bigint not null default 0,
  -- Number of users that were not called, because a list, check or rule excludes them.
  suppressed bigint not null default 0,
  -- Number of recorded step rows, including child batches; `batches` counts only fed batches.
  done int not null default 0,
  -- Number of done batches that continue, because at least one user succeeded.
  survived int not null default 0,
  -- Number of child batches that begin with this step.
  created int not null default 0,
  -- Number of waiting batches: +1 when a batch is released or inserted as waiting, -1 when a waiting batch is claimed
  -- or the sweeper ends it.
  waiting int not null default 0,
  -- Users that failed because their whole batch was refused.
  refused bigint not null default 0,
  -- Number of users settled after an unknown outcome. They are counted in succeeded or failed too, but did not reach
  -- the next step.
  settled_succeeded bigint not null default 0,
  settled_failed bigint not null default 0,
  primary key (feed, step, slot)
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
