-- after: campaigns, clients, feeds, installation, jobs, runs, schedules
-- Sends a notification to listening processes when the transaction commits. The processes react at once, and poll less
-- often while this feed works (docs/decisions/0071-what-little-work-costs.md). Only rare changes have triggers, because
-- Postgres commits notifying transactions one after another.

create function notify_change() returns trigger language plpgsql as $$
begin
  -- Postgres merges equal notifications of a transaction, so this sends one however many rows change.
  perform pg_notify('muster', tg_argv[0]);
  return null;
end $$;

create trigger notify_registry after update of registry_revision on installation
  for each row execute function notify_change('registry');
create trigger notify_clients after update of clients_revision on installation
  for each row execute function notify_change('clients');
create trigger notify_regions after update on regions
  for each row execute function notify_change('regions');

-- Only starts within three seconds are notified: schedulers poll two seconds ahead and find later starts in time.
create trigger notify_run_starts after insert on run_starts
  for each row when (new.due_at < now() + interval '3 seconds') execute function notify_change('run-starts');
create trigger notify_schedules after insert on schedules
  for each row when (new.next_check_at < now() + interval '3 seconds') execute function notify_change('schedules');
create trigger notify_earlier_checks after update of next_check_at, state on schedules
  for each row when (
    new.state = 'active' and new.next_check_at < now() + interval '3 seconds'
    and (old.state <> 'active' or old.next_check_at is null or new.next_check_at < old.next_check_at)
  ) execute function notify_change('schedules');

create trigger notify_runs after insert on runs
  for each row execute function notify_change('runs');
create trigger notify_run_states after update of state on runs
  for each row when (new.state <> old.state) execute function notify_change('runs');

-- Feeds that stall are not notified, because they may be many and stall repeatedly. Triggers find them by polling.
create trigger notify_ended_canaries after update of canary on runs
  for each row when (new.canary = 'over' and new.canary is distinct from old.canary)
    execute function notify_change('feeds');

create trigger notify_feeds after insert on feeds
  for each row when (coalesce(new.stalled_until <= now(), true)) execute function notify_change('feeds');
create trigger notify_released_feeds after update of owner on feeds
  for each row when (new.owner is null and not new.complete and coalesce(new.stalled_until <= now(), true))
  execute function notify_change('feeds');

-- Notifies of nodes that join or leave; nodes that crash are found by polling.
create trigger notify_nodes after insert or delete on job_nodes
  for each row execute function notify_change('nodes');
create trigger notify_nodes_that_leave_or_return after update of expires_at on job_nodes
  for each row when (new.expires_at < now() or old.expires_at < now()) execute function notify_change('nodes');

create trigger notify_hosts after insert or delete on host_circuits
  for each row execute function notify_change('hosts');
create trigger notify_host_states after update of state on host_circuits
  for each row when (new.state <> old.state) execute function notify_change('hosts');

create trigger notify_occurrences after insert on occurrences
  for each row when (new.state = 'buffered') execute function notify_change('occurrences');
