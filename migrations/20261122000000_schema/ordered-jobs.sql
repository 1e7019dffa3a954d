-- after: nothing
-- Jobs of one ordering key are called one at a time (docs/decisions/0090-endpoints-of-clients.md). At most one job of a
-- key is active: due at a time, or sidelined. The others wait, due at infinity. No scheduler reads them, and only
-- advance_key makes one active.

-- Keys that changed since they were last advanced. Inserted by each statement that stores, ends or moves a job of the
-- key, and deleted by advance_key: rows left by a crash are found here.
create table key_wakes (
  client uuid not null,
  ordering_key text not null,
  at timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index key_wakes_by_key on key_wakes (client, ordering_key);
create index key_wakes_by_age on key_wakes (at);

-- Makes the next job of a key due if none is active: the job that is ready first, then the one accepted first. An
-- active job that is not due yet yields to a job that is ready earlier. Exceptions: a job of an in-order key that was
-- called already, and a job whose receiver has yet to report. Volatile, so that each statement sees all commits before
-- the lock was acquired, including earlier advances of the key.
--
-- The function waits only for other advances, so it cannot deadlock with flushes or changes. A row locked by another
-- transaction is being claimed, cancelled or moved: that transaction wakes the key. If that transaction changes
-- nothing, a wake inserted here remains.
--
-- Returns the due time of the job it made active and whether that job has expired; nulls if it did nothing.
create function advance_key(of_client uuid, of_key text, out made timestamptz, out has_expired boolean)
language plpgsql volatile as $$
declare
  active record;
  next record;
begin
  perform pg_advisory_xact_lock(hashtextextended(of_key, hashtextextended(of_client::text, 0)));
  -- If a crash undoes this, the key's wake remains; a claim of the job made due is committed after it.
  perform set_config('synchronous_commit', 'off', true);
  delete from key_wakes where client = of_client and ordering_key = of_key;
  select partition_id, id, due_at, sideline, report, in_order, attempt, ready_at, accepted_at, place into active from jobs
    where client = of_client and ordering_key = of_key and ordering_key is not null
      and (due_at < 'infinity' or sideline is not null);
  if found then
    -- Compares with the clock: this transaction may have begun before the one that made the job due.
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
    -- A separate statement after the lock sees a claim that came before it.
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
