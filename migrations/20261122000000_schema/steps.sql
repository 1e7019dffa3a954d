-- after: nothing
-- Ledger of the batches' steps (docs/states.md, docs/decisions/0010-answers-agenda-and-partitions.md).

-- state: 1 running, 2 waiting, 3 done. A claim inserts the row. Another index would end HOT updates.
create table batch_steps (
  feed uuid not null,
  batch_no int not null,
  step int2 not null,
  state int2 not null,
  epoch int not null,
  -- Answered calls, limited by maxAttempts. Claims do not count.
  attempts int2 not null default 0,
  -- Leases that lapsed with a call begun; for the first one, the call may have begun. -1: no call has begun, and each
  -- begin is written first (a step with a check).
  lapses int2 not null default 0,
  lease_until timestamptz,
  -- Kept when a waiting row is claimed, and null in every other running row: a claim of a waiting row is recognized by
  -- it.
  next_attempt_at timestamptz,
  -- Outcome of all users without a row of their own: 1 succeeded, 2 expired, 3 cancelled; null while not done.
  rest int2,
  rest_users int2,
  -- Digest of all users lost by the end of this step (shared/domain/step/lost-users.ts); null if none were, and in the
  -- last step. Written with the result: a message's list of lost users is believed if it matches.
  lost_digest text,
  failed int2,
  unknown int2,
  -- A call under this key may have been applied, and no complete answer was read since.
  open boolean not null default false,
  -- Set before the call, only in rows with lapses (rare, so cheap): the next lapse is then certain.
  begun boolean not null default false,
  owner text,
  cause text,
  primary key (feed, batch_no, step)
) partition by range (feed);

-- Calls without a final result: released, split, retried, or of a lost worker. Calls that succeed at once have no row.
create table step_attempts (
  feed uuid not null,
  batch_no int not null,
  step int2 not null,
  epoch int not null,
  at timestamptz not null default now(),
  reading text not null,
  cause text,
  -- Details reported for users that went on: a JSON list of {"code", "detail", "users"}.
  users text,
  primary key (feed, batch_no, step, epoch)
) partition by range (feed);

-- Steps that did not succeed at once, with the time of the next offer. No statement of the common flush touches this
-- table.
create table agenda (
  feed uuid not null,
  batch_no int not null,
  step int2 not null,
  offer_at timestamptz not null,
  offers int2 not null default 0,
  primary key (feed, batch_no, step)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
create index agenda_due on agenda (feed, offer_at);

-- Below the mark, every fed batch is done in this step, or on the agenda, or did not survive an earlier step.
create table sweep_marks (
  feed uuid not null,
  step int2 not null,
  below int not null,
  primary key (feed, step)
);

-- Steps whose endpoint is not called. kind: 'fault' until a person has fixed the cause, which a periodic trial batch
-- proves; 'quiet-hours' until their end. Each kind has a row of its own: none ends another
-- (docs/decisions/0085-gates-before-a-call.md).
create table holds (
  feed uuid not null,
  step int2 not null,
  kind text not null check (kind in ('fault', 'quiet-hours')),
  cause text not null,
  since timestamptz not null default now(),
  batches int not null default 1,
  next_try_at timestamptz not null,
  -- End of quiet hours. A fault has none.
  until timestamptz,
  primary key (feed, step, kind),
  constraint holds_end_by_kind check ((kind = 'quiet-hours') = (until is not null))
);

-- Causes for which batches were released; for display only.
create table step_causes (
  feed uuid not null,
  step int2 not null,
  cause text not null,
  since timestamptz not null default now(),
  last_at timestamptz not null default now(),
  batches int not null default 0,
  primary key (feed, step, cause)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Sums, in slots, so that workers do not wait for each other's rows. Flow of batches: ready(feed, step) = entered +
-- born - done - waiting, where entered(1) = fed batches and entered(k + 1) = survived(k).
create table run_totals (
  feed uuid not null,
  step int2 not null,
  slot int2 not null,
  -- Recorded fed batches.
  batches int not null default 0,
  succeeded bigint not null default 0,
  failed bigint not null default 0,
  expired bigint not null default 0,
  cancelled bigint not null default 0,
  unknown bigint not null default 0,
  -- Excluded by a list, check or rule, and not called.
  suppressed bigint not null default 0,
  -- Recorded step rows, including child batches; `batches` counts only fed ones.
  done int not null default 0,
  -- Done batches that continue, with at least one user succeeded.
  survived int not null default 0,
  -- Child batches that begin with this step.
  born int not null default 0,
  -- +1 if released or inserted waiting, -1 if claimed from waiting or ended by the sweeper.
  waiting int not null default 0,
  -- Users that failed because their whole batch was refused.
  refused bigint not null default 0,
  -- Users settled after an unknown outcome: they are counted in succeeded or failed, and did not reach the next step.
  settled_succeeded bigint not null default 0,
  settled_failed bigint not null default 0,
  primary key (feed, step, slot)
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
