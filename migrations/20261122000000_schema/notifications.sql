-- after: approvals, budgets, campaigns, change-feed, clients, installation, runs
-- Notifications report campaigns, runs and keys to services, channels and mailboxes
-- (docs/decisions/0088-notifications.md). Each is a client with the same id, so that its calls are ordinary jobs.

create table notifications (
  id uuid primary key references clients on delete cascade,
  -- Account of the creator (api_keys.account); null: no account.
  account uuid,
  -- API key that set the URL, and so chose the receiver. The scopes of this key and of the account limit which messages
  -- are sent.
  url_set_by uuid,
  -- URL of the receiver, encrypted like a job's URL.
  url text not null,
  definition jsonb not null,
  created_at timestamptz not null default now(),
  -- Time of the deletion; null: not deleted. Users no longer see the notification. Its client is deleted once no job of
  -- it is stored.
  deleted_at timestamptz,
  check (account is null or url_set_by is not null)
);

-- Events to report. The transaction of a change inserts them, and the transaction that stores the calls deletes them.
-- No events are inserted while there are no notifications.
create table notification_events (
  id uuid primary key,
  kind text not null,
  at timestamptz not null,
  -- Campaign of the event; null for a test of a notification, which belongs to no campaign.
  campaign uuid,
  run uuid,
  -- Only notification that receives the event; null: every notification that subscribes to it.
  notification uuid,
  detail jsonb not null default '{}'
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Completed runs of recurring campaigns, for notifications with a digest: collected until the digest is due.
create table notification_digests (
  notification uuid primary key references notifications on delete cascade,
  -- Replaced by a new id whenever a digest is sent.
  id uuid not null default uuid_of_now(),
  due_at timestamptz not null,
  runs int not null,
  -- Number of users in all runs.
  audience bigint not null,
  completed bigint not null,
  failed bigint not null,
  -- First lines of the digest.
  lines jsonb not null
) with (fillfactor = 70);

create trigger notify_notification_events after insert on notification_events
  for each statement execute function notify_change('notification-events');

-- The functions run with the rights of the owner, because services may not insert events themselves.

-- The trigger's condition matches the cause of runs that pause themselves because of failed users
-- (services/trigger/keep/auto-pause.ts).
create function record_run_event() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select from notifications where deleted_at is null) then
    insert into notification_events (id, kind, at, campaign, run, detail)
    select new.id, case new.kind when 'begun' then 'run.started' when 'paused' then 'run.paused'
        when 'auto-paused' then 'run.threshold'
        else case new.detail ->> 'state' when 'completed_with_failures' then 'run.completed'
          else 'run.' || (new.detail ->> 'state') end end,
      now(), r.campaign, r.id,
      jsonb_strip_nulls(jsonb_build_object('state', coalesce(new.detail ->> 'state', r.state),
        'cause', coalesce(new.detail ->> 'reason', new.detail ->> 'cause', r.state_reason)))
    -- The results of a test run are sent only to the person who requests the test.
    from runs r where r.id = new.run and r.kind = 'live';
  end if;
  return null;
end $$;

create trigger record_run_event after insert on run_events for each row
  when (new.kind in ('begun', 'paused', 'ended')
    or new.kind = 'auto-paused' and new.detail ->> 'cause' like '% users failed in step %')
  execute function record_run_event();

create function record_campaign_event() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select from notifications where deleted_at is null) then
    insert into notification_events (id, kind, at, campaign)
    values (uuid_of_now(), 'campaign.scheduled', now(), new.id);
  end if;
  return null;
end $$;

create trigger record_campaign_event after update of state on campaigns for each row
  when (new.state = 'scheduled' and old.state <> 'scheduled') execute function record_campaign_event();

create function record_approval_event() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select from notifications where deleted_at is null) then
    insert into notification_events (id, kind, at, campaign, run, detail)
    values (uuid_of_now(), 'approval.waiting', now(), new.campaign, new.run,
      jsonb_build_object('approval', new.id, 'requiredApprovers', new.required_approvers, 'reasons', new.reasons));
  end if;
  return null;
end $$;

create trigger record_approval_event after insert on approvals for each row
  when (new.state = 'waiting') execute function record_approval_event();

create function low_budget(country text, units bigint, left_units bigint, currency text) returns jsonb
language sql immutable as $$
  select case when currency is null
    then jsonb_build_object('country', country, 'units', units, 'left', greatest(left_units, 0))
    else jsonb_build_object('country', country, 'currency', currency, 'amount', format_amount(units),
      'leftAmount', format_amount(greatest(left_units, 0))) end
$$;

-- Records `budget.low` when the end of a run leaves less than 10 % of a budget; for open runs, schedulers check this.
-- The event is recorded once for each size of the budget, so a raised budget may be recorded again.
create function record_low_budget() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select from notifications where deleted_at is null) then
    new.low_notified_units := new.units;
    insert into notification_events (id, kind, at, campaign, detail)
    values (uuid_of_now(), 'budget.low', now(), new.campaign, low_budget(new.country,
      new.units, new.units - new.past_units, new.currency));
  end if;
  return new;
end $$;

create trigger record_low_budget before update of past_units on budgets for each row
  when (new.units > 0 and (new.units - new.past_units) * 10 < new.units
    and new.low_notified_units is distinct from new.units)
  execute function record_low_budget();
