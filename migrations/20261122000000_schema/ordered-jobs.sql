-- after: nothing
-- Jobs of one ordering key are called one at a time (docs/decisions/0090-endpoints-of-clients.md). At most one of a key
-- is active: due at a time, or sidelined. The others wait, due at infinity. No look reads them, and only advance_key makes
-- one active.

-- What happened to a key since it was advanced last. Written by whatever stores, ends or moves a job of it, in the same
-- statement, and deleted by advance_key: what a crash leaves is found here.
create table key_wakes (
  client uuid not null,
  ordering_key text not null,
  at timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index key_wakes_by_key on key_wakes (client, ordering_key);
create index key_wakes_by_age on key_wakes (at);

-- Lets the next job of a key be due, where none is: the one that is ready first, and was accepted first among those.
-- An active one that is not due yet gives way to one that is ready before it, but for one of a key in order that was
-- called already, and one whose receiver has yet to report. Volatile, so that each statement sees what was committed before the lock was had, an earlier advance
-- of the key among it.
--
-- It waits for nothing but other advances, so no flush and no change waits for it in a circle. A row that another has
-- locked is being claimed, cancelled or moved: who does that wakes the key, and for one that changes nothing after all,
-- a wake stays behind.
--
-- Gives what it made active and whether that has expired; nulls where it did nothing.
create function advance_key(of_client uuid, of_key text, out made timestamptz, out has_expired boolean)
language plpgsql volatile as $$
declare
  active record;
  next record;
begin
  perform pg_advisory_xact_lock(hashtextextended(of_key, hashtextextended(of_client::text, 0)));
  -- What a crash undoes of this, its wake says; a claim of what is due by it is written behind it.
  perform set_config('synchronous_commit', 'off', true);
  delete from key_wakes where client = of_client and ordering_key = of_key;
  select partition_id, id, due_at, sideline, report, in_order, attempt, ready_at, accepted_at, place into active from jobs
    where client = of_client and ordering_key = of_key and ordering_key is not null
      and (due_at < 'infinity' or sideline is not null);
  if found then
    -- By the clock: this transaction may have begun before the one that made it due.
    if active.sideline is not null or active.report is not null or active.due_at <= clock_timestamp()
      or (active.in_order and active.attempt > 1) then
      return;
    end if;
    perform from jobs
      where client = of_client and ordering_key = of_key and ordering_key is not null and due_at = 'infinity'
        and sideline is null
        and (ready_at, accepted_at, place) < (active.ready_at, active.accepted_at, active.place) limit 1;
    if not found then return; end if;
    perform from jobs where id = active.id and due_at = active.due_at and sideline is null and report is null
      for update skip locked;
    if not found then
      insert into key_wakes (client, ordering_key) values (of_client, of_key);
      return;
    end if;
    -- A statement of its own, behind the lock: a claim that came before it is seen.
    if active.due_at <= clock_timestamp() or exists (select from fires f
      where (f.due_at, f.id) = (active.due_at, active.id) and f.partition_id = active.partition_id) then
      return;
    end if;
    update jobs set due_at = 'infinity' where id = active.id;
  end if;
  select id, ready_at, coalesce(expires_at <= clock_timestamp(), false) as is_over into next from jobs
    where client = of_client and ordering_key = of_key and ordering_key is not null and due_at = 'infinity'
      and sideline is null
    order by ready_at, accepted_at, place limit 1;
  if not found then return; end if;
  perform from jobs where id = next.id and due_at = 'infinity' and sideline is null for update skip locked;
  if not found then
    insert into key_wakes (client, ordering_key) values (of_client, of_key);
    return;
  end if;
  update jobs set due_at = greatest(ready_at, clock_timestamp()) where id = next.id returning due_at into made;
  has_expired := next.is_over;
end $$;
