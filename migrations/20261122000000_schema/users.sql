-- after: nothing
-- What became of single users: failures, who was suppressed, what unknown outcomes were settled as, and receipts
-- (docs/decisions/0007-lost-calls-and-unknown-outcomes.md, 0027-receipts.md).

-- batch_no 0 holds users that could never be sent.
create table user_failures (
  feed uuid not null,
  batch_no int not null,
  step int2 not null,
  user_id text collate "C" not null,
  -- 2 failed, 4 suppressed, 8 unknown; 1 succeeded, of those that were settled so.
  outcome int2 not null,
  reason text not null,
  detail text,
  attempts int2 not null,
  failed_at timestamptz not null default now(),
  primary key (feed, batch_no, step, user_id)
) partition by range (feed);
-- Unknown outcomes are few: to find a user, and to page through them, without a look at all failures.
create index user_failures_unknown on user_failures (feed, user_id, step) where outcome = 8;

create table failure_totals (
  feed uuid not null,
  step int2 not null,
  -- As in user_failures.
  outcome int2 not null,
  reason text not null,
  slot int2 not null,
  users bigint not null,
  -- The first five.
  sample text[] not null,
  primary key (feed, step, outcome, reason, slot)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- One per request to settle: by hand, by file or by status.
create table settlement_requests (
  id uuid primary key,
  run uuid not null,
  method text not null check (method in ('hand', 'file', 'status')),
  -- The key that asked, and its name then.
  api_key uuid,
  api_key_name text,
  -- By status: what is asked for; null for all.
  step int2,
  country text,
  state text not null default 'running' check (state in ('running', 'done', 'failed')),
  cause text,
  succeeded bigint not null default 0,
  failed bigint not null default 0,
  -- Asked for, and still unknown.
  left_unknown bigint not null default 0,
  rejected bigint not null default 0,
  rejects jsonb not null default '[]',
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  -- By status: the process that works on it, since where, and not before when.
  owner text,
  lease_until timestamptz,
  next_at timestamptz,
  cursor_feed uuid,
  cursor_user text collate "C",
  cursor_step int2,
  tries int2 not null default 0
);
create index settlement_requests_of_run on settlement_requests (run, id);
create index settlement_requests_running on settlement_requests (id) where state = 'running';

-- Append-only: each user once, with what stood there before. A second settlement breaks the key. They name users, and
-- leave with the failures.
create table settlements (
  feed uuid not null,
  batch_no int not null,
  step int2 not null,
  user_id text collate "C" not null,
  request uuid not null,
  was_reason text not null,
  was_detail text,
  -- 1 succeeded, 2 failed
  outcome int2 not null,
  reason text not null,
  detail text,
  settled_at timestamptz not null default now(),
  primary key (feed, user_id, step, batch_no)
);

-- What a provider said last of a user, by its own time. It says nothing of the step's outcome, which is the acceptance.
create table receipts (
  feed uuid not null,
  step int2 not null,
  user_id text collate "C" not null,
  delivered boolean not null,
  -- What the row said before its last change; null in a row that was never changed. So the statement that changes it
  -- knows by how much.
  was_delivered boolean,
  code text,
  -- When it happened, as the provider says.
  at timestamptz not null,
  received_at timestamptz not null default now(),
  primary key (feed, step, user_id)
) partition by range (feed);
-- They are few, and listed apart.
create index receipts_undelivered on receipts (feed, step, user_id) where not delivered;

create table receipt_totals (
  feed uuid not null,
  step int2 not null,
  slot int2 not null,
  delivered bigint not null,
  undelivered bigint not null,
  -- Receipts of users that failed or are unknown. The trigger writes them into one of the slots once the run accepts no
  -- more receipts. As long as receipts and failures are kept, each report counts them anew.
  unexpected_delivered bigint not null default 0,
  unexpected_undelivered bigint not null default 0,
  primary key (feed, step, slot)
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
