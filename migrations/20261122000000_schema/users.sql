-- after: nothing
-- Outcomes of single users: failures, suppressions, settlements of unknown outcomes, and receipts
-- (docs/decisions/0007-lost-calls-and-unknown-outcomes.md, 0027-receipts.md).

-- batch_no 0 is for users that could never be sent.
create table user_failures (
  feed uuid not null,
  batch_no int not null,
  step int2 not null,
  user_id text collate "C" not null,
  -- 2 failed, 4 suppressed, 8 unknown; 1 for unknown users settled as succeeded.
  outcome int2 not null,
  reason text not null,
  detail text,
  attempts int2 not null,
  failed_at timestamptz not null default now(),
  primary key (feed, batch_no, step, user_id)
) partition by range (feed);
-- Unknown outcomes are few: the index finds a user and pages through them without reading all failures.
create index user_failures_unknown on user_failures (feed, user_id, step) where outcome = 8;

create table failure_totals (
  feed uuid not null,
  step int2 not null,
  -- Same codes as in user_failures.
  outcome int2 not null,
  reason text not null,
  slot int2 not null,
  users bigint not null,
  -- The first five users.
  sample text[] not null,
  primary key (feed, step, outcome, reason, slot)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- One row for each settlement request: by hand, by file or by status.
create table settlement_requests (
  id uuid primary key,
  run uuid not null,
  method text not null check (method in ('hand', 'file', 'status')),
  -- API key of the request, and its name at that time.
  api_key uuid,
  api_key_name text,
  -- For status settlements: requested step and country; null for all.
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
  -- For status settlements: the working process and its lease, the earliest next try, and the cursor.
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

-- Append-only: each user once, with the former values. A second settlement violates the key. Rows name users, and are
-- deleted with the failures.
create table settlements (
  feed uuid not null,
  batch_no int not null,
  step int2 not null,
  user_id text collate "C" not null,
  request uuid not null,
  was_reason text not null,
  was_detail text,
  -- 1 succeeded, 2 failed.
  outcome int2 not null,
  reason text not null,
  detail text,
  settled_at timestamptz not null default now(),
  primary key (feed, user_id, step, batch_no)
);

-- Last receipt of a provider for a user, by the provider's time. The step's outcome is the acceptance of the call,
-- whatever the receipt.
create table receipts (
  feed uuid not null,
  step int2 not null,
  user_id text collate "C" not null,
  delivered boolean not null,
  -- Value before the last change; null in a row that was never changed. The statement that changes the row computes its
  -- difference from it.
  was_delivered boolean,
  code text,
  -- Time of the event according to the provider.
  at timestamptz not null,
  received_at timestamptz not null default now(),
  primary key (feed, step, user_id)
) partition by range (feed);
-- Undelivered receipts are few, and listed separately.
create index receipts_undelivered on receipts (feed, step, user_id) where not delivered;

create table receipt_totals (
  feed uuid not null,
  step int2 not null,
  slot int2 not null,
  delivered bigint not null,
  undelivered bigint not null,
  -- Receipts of users that failed or are unknown. The trigger writes them into one slot once the run accepts no more
  -- receipts. While receipts and failures are kept, each report counts them anew.
  unexpected_delivered bigint not null default 0,
  unexpected_undelivered bigint not null default 0,
  primary key (feed, step, slot)
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
