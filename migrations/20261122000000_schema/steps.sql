-- after: nothing
-- The ledger: what was done of each batch (docs/states.md, docs/decisions/0010-answers-agenda-and-partitions.md).

-- state: 1 running, 2 waiting, 3 done. A row is inserted by its claim. No other index: it would end HOT updates.
create table batch_steps (
  feed uuid not null,
  batch_no int not null,
  step int2 not null,
  state int2 not null,
  epoch int not null,
  -- Answered calls: what maxAttempts bounds. A claim changes nothing.
  attempts int2 not null default 0,
  -- Leases that lapsed with a call begun; the first one with a call that may have begun. -1: none, and that a call
  -- begins is written first (a step with a check).
  lapses int2 not null default 0,
  lease_until timestamptz,
  -- Stays set when a waiting row is claimed, and is null in every other running one: so the claim knows where it came
  -- from.
  next_attempt_at timestamptz,
  -- Outcome of all users without a row of their own: 1 succeeded, 2 expired, 3 cancelled; null while not done.
  rest int2,
  rest_users int2,
  -- Of all whom the chain has lost by the end of this step (shared/domain/step/lost-users.ts); null where nobody, and
  -- in the last step. Written with the result: what a message says of them is believed where it agrees.
  lost_digest text,
  failed int2,
  unknown int2,
  -- A call under this key may have been applied, and no whole answer was read since.
  open boolean not null default false,
  -- Set before the call, in rows with lapses alone (rare, so cheap): the next lapse is then no guess.
  begun boolean not null default false,
  owner text,
  cause text,
  primary key (feed, batch_no, step)
) partition by range (feed);

-- Calls that were not the whole story: put back, split, retried, or of a worker that was lost. What succeeded at once
-- has no row.
create table step_attempts (
  feed uuid not null,
  batch_no int not null,
  step int2 not null,
  epoch int not null,
  at timestamptz not null default now(),
  reading text not null,
  cause text,
  -- What was said of users that went on: a JSON list of {"code", "detail", "users"}.
  users text,
  primary key (feed, batch_no, step, epoch)
) partition by range (feed);

-- Steps that left the straight way, and when each is to be offered (again). No statement of the common flush touches
-- it.
create table agenda (
  feed uuid not null,
  batch_no int not null,
  step int2 not null,
  offer_at timestamptz not null,
  offers int2 not null default 0,
  primary key (feed, batch_no, step)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
create index agenda_due on agenda (feed, offer_at);

-- Below the mark every fed batch is done in this step, or on the agenda, or has not survived so far.
create table sweep_marks (
  feed uuid not null,
  step int2 not null,
  below int not null,
  primary key (feed, step)
);

-- Steps whose endpoint is not called. kind: 'fault' until a person has mended the cause, and a batch that is tried now
-- and then has shown it; 'quiet-hours' until the clock says so. Each kind is a row of its own: none ends another
-- (docs/decisions/0085-gates-before-a-call.md).
create table holds (
  feed uuid not null,
  step int2 not null,
  kind text not null check (kind in ('fault', 'quiet-hours')),
  cause text not null,
  since timestamptz not null default now(),
  batches int not null default 1,
  next_try_at timestamptz not null,
  -- The end of quiet hours. A fault has none.
  until timestamptz,
  primary key (feed, step, kind),
  constraint holds_end_by_kind check ((kind = 'quiet-hours') = (until is not null))
);

-- What batches were put back for, for people.
create table step_causes (
  feed uuid not null,
  step int2 not null,
  cause text not null,
  since timestamptz not null default now(),
  last_at timestamptz not null default now(),
  batches int not null default 0,
  primary key (feed, step, cause)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Sums, in slots, so that workers do not wait for each other's rows. How batches flow:
-- ready(feed, step) = entered + born - done - waiting, where entered(1) = fed batches and entered(k + 1) = survived(k).
create table run_totals (
  feed uuid not null,
  step int2 not null,
  slot int2 not null,
  -- Fed batches that were recorded.
  batches int not null default 0,
  succeeded bigint not null default 0,
  failed bigint not null default 0,
  expired bigint not null default 0,
  cancelled bigint not null default 0,
  unknown bigint not null default 0,
  -- Withheld by a rule, and not called.
  suppressed bigint not null default 0,
  -- Step rows recorded, child batches included; batches counts fed ones alone.
  done int not null default 0,
  -- Of those, how many go on: at least one user succeeded.
  survived int not null default 0,
  -- Child batches that begin with this step.
  born int not null default 0,
  -- +1 put back or begun waiting, -1 claimed from waiting or ended by the sweeper.
  waiting int not null default 0,
  -- Users that failed by a refusal of their whole batch.
  refused bigint not null default 0,
  -- Users that were unknown: they are counted among succeeded and failed, and did not go on to the next step.
  settled_succeeded bigint not null default 0,
  settled_failed bigint not null default 0,
  primary key (feed, step, slot)
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
