-- after: runs
-- Feeds, and their batches (docs/execution-path.md, docs/feeding.md,
-- docs/decisions/0004-audiences-are-sorted-streams.md). Shapes and storage settings of the execution path (here, in
-- steps.sql, users.sql and partitions.sql) were measured: benchmark every change.

-- Paging state of one country of a run, or of one variant in a country.
create table feeds (
  feed uuid primary key,
  run uuid not null references runs,
  country text not null,
  -- Place of the variant in the first step of the chain that has variants, from 1; null: the run has no variants. The
  -- users of a feed have the same variant, and never change the feed (docs/decisions/0168-variants.md).
  variant int2 check (variant > 0),
  -- A single segment is stored in segment and snapshot, any other audience in audience
  -- (shared/contracts/runs/feed-audience.ts).
  segment text,
  snapshot text,
  audience jsonb,
  estimate bigint,
  -- First step for this feed's users. In a retry run it may be later than 1: the users passed the earlier steps in the
  -- parent run.
  from_step int2 not null default 1,
  -- Maximum users of a batch: the minimum over the run's action types when the run began.
  batch_users int2 not null default 100,
  -- Cost of a user in each step of the chain, in the unit of the campaign's budget in this country; null without a
  -- budget.
  step_units bigint[],
  -- Last fed user. The id is stored as JSON text, because it may contain characters that a Postgres text cannot.
  cursor text,
  next_batch_no int not null default 1,
  next_child_no int not null default 1073741824,
  fed_users bigint not null default 0,
  -- Number of users among fed_users that are held out: they receive nothing and are listed in held_out_users. A hash of
  -- the seed and the user id selects them.
  held_out_users bigint not null default 0,
  -- Number of users skipped by an exclusion; they are not in fed_users.
  excluded_users bigint not null default 0,
  -- Highest number of users: this feed's part of its country's approved limit, or of the limit that applies without an
  -- approval; null: no limit
  -- (docs/decisions/0082-how-approvals-work.md).
  max_users bigint,
  -- Number of users that are served first. No more users are fed until the run's canary is over. Held-out users are not
  -- counted.
  canary_users bigint,
  -- True for a dry run: batches are inserted with all steps ended, and no worker receives them
  -- (docs/decisions/0083-test-sends-canaries-and-dry-runs.md). A trigger sets the value from the run's kind.
  dry boolean not null default false,
  -- For a dry run: number of batches inserted as ended, and number of users that several sources name.
  ended_batches int not null default 0,
  overlapping_users bigint not null default 0,
  complete boolean not null default false,
  stalled text,
  -- Time before which a stalled feed is not claimed again.
  stalled_until timestamptz,
  -- Consecutive failures to read the next page; 0 after progress. The pause before the next try grows with it.
  stalls int2 not null default 0,
  owner text,
  token bigint not null default 0,
  lease_until timestamptz,
  check (audience is not null or segment is not null and snapshot is not null),
  constraint feeds_have_prices check (array_position(step_units, null) is null),
  constraint feeds_within_approval check (max_users is null or fed_users <= max_users),
  -- A dry feed can neither have a batch that a worker could call, nor cost anything.
  constraint feeds_dry_batches_have_ended check (not dry or ended_batches = next_batch_no - 1
    and next_child_no = 1073741824 and step_units is null)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index feeds_of_run on feeds (run);
-- Finds the feeds that triggers have to feed, among any number of complete and waiting feeds. Feeding a page does not
-- change the index: a feed leaves it with its last page.
create index feeds_unfed on feeds (run) where not complete;

create function mark_dry_feed() returns trigger language plpgsql as $$
begin
  new.dry := coalesce((select kind = 'dry-run' from runs where id = new.run), false);
  return new;
end $$;

create trigger mark_dry_feed before insert or update of dry, run on feeds
  for each row execute function mark_dry_feed();

-- Replaces the upper bound of an ended run by the number of users that it served.
create function settle_unapproved_start() returns trigger language plpgsql as $$
begin
  update unapproved_starts s set users = (
    select coalesce(sum(f.fed_users - f.held_out_users), 0) from feeds f where f.run = s.run and f.country = s.country)
  where s.run = new.id;
  return null;
end $$;

create trigger settle_unapproved_start after update of ended_at on runs for each row
  when (old.ended_at is null and new.ended_at is not null) execute function settle_unapproved_start();

-- Batches; rows never change. The users of a batch are one text that is stored inline: arrays cost 100 µs more per
-- batch, and TOAST 40 µs (measured).
create table batches (
  feed uuid not null,
  batch_no int not null,
  n int2 not null,
  parent int,
  -- First step recorded for this batch: 1 for fed batches, the parent's step for child batches.
  from_step int2 not null default 1,
  first_user text collate "C" not null,
  last_user text collate "C" not null,
  users text storage main not null,
  primary key (feed, batch_no)
) partition by range (feed);
create index batches_children on batches (feed, parent) where parent is not null;

-- Held-out users, who receive nothing, in the order of their ids, about a thousand per row. A row is inserted with its
-- page. The rows are for exports; no decision depends on them.
create table held_out_users (
  feed uuid not null,
  part int not null,
  n int2 not null,
  users text storage main not null,
  primary key (feed, part)
) partition by range (feed);

-- Users of a feed that reads no source: the users of a child run when it starts, and those of a test.
create table explicit_users (
  feed uuid not null,
  user_id text collate "C" not null,
  primary key (feed, user_id)
) partition by range (feed);
