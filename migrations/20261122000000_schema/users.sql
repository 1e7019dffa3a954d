-- after: nothing
-- Outcomes of single users: failures, suppressions, settlements of unknown outcomes, and receipts
-- (docs/decisions/0007-lost-calls-and-unknown-outcomes.md, 0027-receipts.md).

-- Users that failed, were suppressed, or are unknown. batch_no 0 is for users that could never be sent.
create table user_failures (
  feed uuid not null,
  batch_no int not null,
  step int2 not null,
  user_id text collate "C" not null,
  -- Codes of outcomes: 2 failed, 4 suppressed, 8 unknown; 1 for users that were unknown and have been settled as
  -- succeeded.
  outcome int2 not null,
  reason text not null,
  detail text,
  attempts int2 not null,
  failed_at timestamptz not null default now(),
  primary key (feed, batch_no, step, user_id)
) partition by range (feed);
-- Unknown outcomes are few. With this index a user is found, and pages are read, without reading all failures.
create index user_failures_unknown on user_failures (feed, user_id, step) where outcome = 8;

create table failure_totals (
  feed uuid not null,
  step int2 not null,
  -- Codes as in user_failures.
  outcome int2 not null,
  reason text not null,
  slot int2 not null,
  users bigint not null,
  -- Ids of the first five users.
  sample text[] not null,
  primary key (feed, step, outcome, reason, slot)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Requests to settle unknown outcomes: by hand, by a file, or by the status that the endpoint reports.
create table settlement_requests (
  id uuid primary key,
  run uuid not null,
  method text not null check (method in ('hand', 'file', 'status')),
  -- API key of the request, and its name at that time.
  api_key uuid,
  api_key_name text,
  -- For settlements by status: the requested step and country; null means all.
  step int2,
  country text,
  state text not null default 'running' check (state in ('running', 'done', 'failed')),
  cause text,
  succeeded bigint not null default 0,
  failed bigint not null default 0,
  left_unknown bigint not null default 0,
  rejected bigint not null default 0,
  rejects jsonb not null default '[]',
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  -- For settlements by status: the process that works on it, its lease, the earliest time of the next try, and the
  -- cursor.
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

-- Settled users with their former values. Rows are only inserted: a second settlement of a user violates the primary
-- key. Rows have user ids, and are deleted together with the failures.
create table settlements (
  feed uuid not null,
  batch_no int not null,
  step int2 not null,
  user_id text collate "C" not null,
  request uuid not null,
  previous_reason text not null,
  previous_detail text,
  -- Codes of outcomes: 1 succeeded, 2 failed.
  outcome int2 not null,
  reason text not null,
  detail text,
  settled_at timestamptz not null default now(),
  primary key (feed, user_id, step, batch_no)
);

-- Newest receipt for each user of a step, by the provider's time. Receipts do not change the step's outcome, which is
-- the acceptance of the call.
create table receipts (
  feed uuid not null,
  step int2 not null,
  user_id text collate "C" not null,
  delivered boolean not null,
  -- Value of delivered before the last change; null if the row was never changed. The statement that changes the row
  -- computes the change of the totals from it.
  previously_delivered boolean,
  code text,
  -- Time of the event according to the provider.
  at timestamptz not null,
  received_at timestamptz not null default now(),
  primary key (feed, step, user_id)
) partition by range (feed);
-- Undelivered receipts are few, and are listed separately.
create index receipts_undelivered on receipts (feed, step, user_id) where not delivered;

create table receipt_totals (
  feed uuid not null,
  step int2 not null,
  slot int2 not null,
  delivered bigint not null,
  undelivered bigint not null,
  -- Receipts of users that failed or are unknown. Once the run accepts no more receipts, the trigger writes these
  -- numbers into one slot. While receipts and failures are kept, each report counts them again.
  unexpected_delivered bigint not null default 0,
  unexpected_undelivered bigint not null default 0,
  primary key (feed, step, slot)
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
