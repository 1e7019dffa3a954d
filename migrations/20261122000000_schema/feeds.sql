-- after: runs
-- Feeds, and the batches cut from them (docs/execution-path.md, docs/feeding.md,
-- docs/decisions/0004-audiences-are-sorted-streams.md). Shapes and storage settings of the execution path (here, in
-- steps.sql, users.sql and partitions.sql) were measured: change them with a benchmark in hand.

-- The paging state of one (run, country).
create table feeds (
  feed uuid primary key,
  run uuid not null references runs,
  country text not null,
  -- A segment alone stands in segment and snapshot; what is made of more in audience
  -- (shared/contracts/runs/feed-audience.ts).
  segment text,
  snapshot text,
  audience jsonb,
  estimate bigint,
  -- The step that the users of this feed begin with: what came before, they have done in the parent run.
  from_step int2 not null default 1,
  -- Users per batch, at most: the least of what the types of the run's chain take, as they were when it began.
  batch_users int2 not null default 100,
  -- What a user costs in each step of the chain, in what the campaign's budget in this country is in; null where it has
  -- none.
  step_units bigint[],
  -- JSON text of the last user fed: an id may hold what a Postgres text cannot.
  cursor text,
  next_batch_no int not null default 1,
  next_child_no int not null default 1073741824,
  fed_users bigint not null default 0,
  -- Of fed_users, those who get nothing: held_out_users has them. The hash of the seed and their id tells who they are.
  held_out_users bigint not null default 0,
  -- Passed over because an exclusion names them; not in fed_users.
  excluded_users bigint not null default 0,
  -- As many as were approved, or may be without it; null: any number
  -- (docs/decisions/0082-how-approvals-work.md).
  users_at_most bigint,
  -- Those that are served first; no more while the canary of the run is not over. Held-out users are not counted.
  canary_users bigint,
  -- Of a dry run: its batches are written with the ends of all their steps, and no worker hears of them
  -- (docs/decisions/0083-test-sends-canaries-and-dry-runs.md). As the kind of its run says, whatever is written here.
  dry boolean not null default false,
  -- Of a dry feed: its batches that were written so, and those of its users whom several of its sources name.
  sunk_batches int not null default 0,
  shared_users bigint not null default 0,
  complete boolean not null default false,
  stalled text,
  -- A stalled feed is given back, and not claimed before.
  stalled_until timestamptz,
  -- How often in a row the next page was not to be had; 0 once the feed has moved. The pause before the next try grows
  -- with it.
  stalls int2 not null default 0,
  owner text,
  token bigint not null default 0,
  lease_until timestamptz,
  check (audience is not null or segment is not null and snapshot is not null),
  constraint feeds_have_prices check (array_position(step_units, null) is null),
  constraint feeds_within_approval check (users_at_most is null or fed_users <= users_at_most),
  -- A batch of a dry feed that a worker could be called for cannot be written, nor can it cost anything.
  constraint feeds_dry_is_sunk check (not dry or sunk_batches = next_batch_no - 1 and next_child_no = 1073741824
    and step_units is null)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index feeds_of_run on feeds (run);
-- What triggers look for, beside any number of feeds that are fed and wait. Pages do not touch it: a feed leaves it with
-- its last one.
create index feeds_unfed on feeds (run) where not complete;

create function mark_dry_feed() returns trigger language plpgsql as $$
begin
  new.dry := coalesce((select kind = 'dry-run' from runs where id = new.run), false);
  return new;
end $$;

create trigger mark_dry_feed before insert or update of dry, run on feeds
  for each row execute function mark_dry_feed();

-- A run that has ended counts only the users that it served.
create function settle_unapproved_start() returns trigger language plpgsql as $$
begin
  update unapproved_starts s set users = (
    select coalesce(sum(f.fed_users - f.held_out_users), 0) from feeds f where f.run = s.run and f.country = s.country)
  where s.run = new.id;
  return null;
end $$;

create trigger settle_unapproved_start after update of ended_at on runs for each row
  when (old.ended_at is null and new.ended_at is not null) execute function settle_unapproved_start();

-- Immutable. Users are one text value kept in line: arrays and TOAST were measured to cost 100 and 40 microseconds a
-- batch.
create table batches (
  feed uuid not null,
  batch_no int not null,
  n int2 not null,
  parent int,
  -- First step that is this row's own: 1 for fed batches, the parent's step for children.
  from_step int2 not null default 1,
  first_user text collate "C" not null,
  last_user text collate "C" not null,
  users text storage main not null,
  primary key (feed, batch_no)
) partition by range (feed);
create index batches_children on batches (feed, parent) where parent is not null;

-- Those who get nothing, in the order of their ids, by the thousand: written with the pages that they came in. For people
-- to take along; nothing is decided by them.
create table held_out_users (
  feed uuid not null,
  part int not null,
  n int2 not null,
  users text storage main not null,
  primary key (feed, part)
) partition by range (feed);

-- The users of a feed that has no source: those of a child run as they were when it began, and those of a test.
create table retry_users (
  feed uuid not null,
  user_id text collate "C" not null,
  primary key (feed, user_id)
) partition by range (feed);
