-- after: campaigns, clients, feeds, installation, jobs, runs, schedules
-- Notifications for listening processes, sent on commit: the processes react at once, and poll less often while the
-- feed works (docs/decisions/0071-what-little-work-costs.md). Only rare changes have triggers, because transactions
-- that notify commit one after another.

create function tell() returns trigger language plpgsql as $$
begin
  -- Postgres sends equal notifications of a transaction once, however many rows it changes.
  perform pg_notify('muster', tg_argv[0]);
  return null;
end $$;

create trigger tell_of_registry after update of registry_revision on installation
  for each row execute function tell('registry');
create trigger tell_of_clients after update of clients_revision on installation
  for each row execute function tell('clients');
create trigger tell_of_regions after update on regions
  for each row execute function tell('regions');

-- Schedulers look two seconds ahead: they see later starts in time without a notification.
create trigger tell_of_run_starts after insert on run_starts
  for each row when (new.due_at < now() + interval '3 seconds') execute function tell('run-starts');
create trigger tell_of_schedules after insert on schedules
  for each row when (new.look_at < now() + interval '3 seconds') execute function tell('schedules');
create trigger tell_of_earlier_looks after update of look_at, state on schedules
  for each row when (
    new.state = 'active' and new.look_at < now() + interval '3 seconds'
    and (old.state <> 'active' or old.look_at is null or new.look_at < old.look_at)
  ) execute function tell('schedules');

create trigger tell_of_runs after insert on runs
  for each row execute function tell('runs');
create trigger tell_of_states after update of state on runs
  for each row when (new.state <> old.state) execute function tell('runs');

-- Stalled feeds are not notified, and triggers find them by polling: they may be many, and stall repeatedly.
create trigger tell_of_canaries after update of canary on runs
  for each row when (new.canary = 'over' and new.canary is distinct from old.canary) execute function tell('feeds');

create trigger tell_of_feeds after insert on feeds
  for each row when (coalesce(new.stalled_until <= now(), true)) execute function tell('feeds');
create trigger tell_of_free_feeds after update of owner on feeds
  for each row when (new.owner is null and not new.complete and coalesce(new.stalled_until <= now(), true))
  execute function tell('feeds');

-- Nodes that join or leave; nodes that die are found by polling.
create trigger tell_of_nodes after insert or delete on job_nodes
  for each row execute function tell('nodes');
create trigger tell_of_nodes_that_leave_or_come_back after update of expires_at on job_nodes
  for each row when (new.expires_at < now() or old.expires_at < now()) execute function tell('nodes');

create trigger tell_of_hosts after insert or delete on host_circuits
  for each row execute function tell('hosts');
create trigger tell_of_states_of_hosts after update of state on host_circuits
  for each row when (new.state <> old.state) execute function tell('hosts');

create trigger tell_of_occurrences after insert on occurrences
  for each row when (new.state = 'buffered') execute function tell('occurrences');
