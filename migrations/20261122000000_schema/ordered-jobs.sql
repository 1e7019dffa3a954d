-- after: nothing
-- Jobs of one ordering key are called one at a time (docs/decisions/0090-endpoints-of-clients.md). At most one job of a
-- key is active: due at a time, or sidelined. All other jobs of the key wait and are due at infinity. Schedulers do not
-- read these jobs, and only advance_key makes one of them active.

-- Keys to advance, because their jobs changed. Each statement that stores, ends or moves a job of the key inserts a
-- row, and advance_key deletes it. After a crash, remaining rows show which keys to advance.
create table ordering_key_wakes (
  client uuid not null,
  ordering_key text not null,
  at timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index ordering_key_wakes_by_key on ordering_key_wakes (client, ordering_key);
create index ordering_key_wakes_by_age on ordering_key_wakes (at);

-- Makes the next job of a key due if none is active: the job with the earliest ready_at, then the earliest accepted. An
-- active job that is not due yet is replaced by a job that is ready earlier, with two exceptions: a job of an in-order
-- key that was called already, and a job whose receiver has yet to report. The function is volatile, so that each
-- statement sees all commits before the lock was acquired, including earlier advances of the key.
--
-- The function waits only for other advances, so it cannot deadlock with flushes or changes. A row locked by another
-- transaction is being claimed, cancelled or moved, and that transaction inserts a wake for the key. The function
-- inserts a wake too, in case that transaction changes nothing.
--
-- Returns the due time of the job that was made active, and true if that job has expired. Both are null if nothing
-- changed.
create function advance_key(of_client uuid, of_key text, out made timestamptz, out has_expired boolean)
language plpgsql volatile as $$
declare
  active record;
  next record;
begin
  perform pg_advisory_xact_lock(hashtextextended(of_key, hashtextextended(of_client::text, 0)));
  -- Asynchronous commit is safe: if a crash undoes this transaction, the key's wake remains. A claim of the job made
  -- due commits after it.
  perform set_config('synchronous_commit', 'off', true);
  delete from ordering_key_wakes where client = of_client and ordering_key = of_key;
  select partition_id, id, due_at, sideline, report, in_order, attempt, ready_at, accepted_at, accept_order
    into active from jobs
    where client = of_client and ordering_key = of_key and ordering_key is not null
      and (due_at < 'infinity' or sideline is not null);
  if found then
    -- Uses the clock instead of now(): this transaction may have begun before the one that made the job due.
    if active.sideline is not null or active.report is not null or active.due_at <= clock_timestamp()
      or (active.in_order and active.attempt > 1) then
      return;
    end if;
    perform from jobs
      where client = of_client and ordering_key = of_key and ordering_key is not null and due_at = 'infinity'
        and sideline is null
        and (ready_at, accepted_at, accept_order) < (active.ready_at, active.accepted_at, active.accept_order) limit 1;
    if not found then return; end if;
    perform from jobs where id = active.id and due_at = active.due_at and sideline is null and report is null
      for update skip locked;
    if not found then
      insert into ordering_key_wakes (client, ordering_key) values (of_client, of_key);
      return;
    end if;
    -- This statement runs after the row was locked, so it sees a claim that was committed before.
    if active.due_at <= clock_timestamp() or exists (select from job_claims f
      where (f.due_at, f.id) = (active.due_at, active.id) and f.partition_id = active.partition_id) then
      return;
    end if;
    update jobs set due_at = 'infinity' where id = active.id;
  end if;
  select id, ready_at, coalesce(expires_at <= clock_timestamp(), false) as is_over into next from jobs
    where client = of_client and ordering_key = of_key and ordering_key is not null and due_at = 'infinity'
      and sideline is null
    order by ready_at, accepted_at, accept_order limit 1;
  if not found then return; end if;
  perform from jobs where id = next.id and due_at = 'infinity' and sideline is null for update skip locked;
  if not found then
    insert into ordering_key_wakes (client, ordering_key) values (of_client, of_key);
    return;
  end if;
  update jobs set due_at = greatest(ready_at, clock_timestamp()) where id = next.id returning due_at into made;
  has_expired := next.is_over;
end $$;
