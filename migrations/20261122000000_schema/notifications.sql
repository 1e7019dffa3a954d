-- after: approvals, budgets, campaigns, change-feed, clients, installation, runs
-- Notifications report campaigns, runs and keys to services, channels and mailboxes
-- (docs/decisions/0088-notifications.md). Each is a client with the same id, so that its calls are ordinary jobs.

create table notifications (
  id uuid primary key references clients on delete cascade,
  -- Account of the creator (api_keys.account); null: none.
  account uuid,
  -- API key that set the URL, and so chose the receiver. Its scope and the account's bound the messages.
  url_set_by uuid,
  -- Sealed as a job's URL is.
  url text not null,
  definition jsonb not null,
  created_at timestamptz not null default now(),
  -- The notification is deleted for all users; its client is deleted when no job of it is stored any more.
  deleted_at timestamptz,
  check (account is null or url_set_by is not null)
);

-- Events to report: inserted in the transaction of the change, deleted in the transaction that stores the calls.
-- No events are inserted while there is no notification.
create table notification_events (
  id uuid primary key,
  kind text not null,
  at timestamptz not null,
  -- Null for a test, which belongs to no campaign.
  campaign uuid,
  run uuid,
  -- Notification that receives the event alone; null: every notification that subscribes to it.
  notification uuid,
  detail jsonb not null default '{}'
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Completed runs of recurring campaigns, for notifications with a digest: collected until the digest is due.
create table notification_digests (
  notification uuid primary key references notifications on delete cascade,
  -- Renewed whenever a digest is sent.
  id uuid not null default uuid_of_now(),
  due timestamptz not null,
  runs int not null,
  -- Number of users in all runs.
  audience bigint not null,
  through_the_chain bigint not null,
  failed bigint not null,
  -- The first lines.
  lines jsonb not null
) with (fillfactor = 70);

create trigger tell_of_notification_events after insert on notification_events
  for each statement execute function tell('notification-events');

-- Triggers run with the rights of the owner: services may not insert events themselves.

-- Matches the cause of runs that pause themselves for failed users (services/trigger/keep/auto-pause.ts).
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
    -- Results of a test go only to the person who requests it.
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
      jsonb_build_object('approval', new.id, 'needed', new.needed, 'why', new.why));
  end if;
  return null;
end $$;

create trigger record_approval_event after insert on approvals for each row
  when (new.state = 'waiting') execute function record_approval_event();

create function low_budget(country text, units bigint, left_units bigint, currency text) returns jsonb
language sql immutable as $$
  select case when currency is null
    then jsonb_build_object('country', country, 'units', units, 'left', greatest(left_units, 0))
    else jsonb_build_object('country', country, 'currency', currency, 'amount', amount_text(units),
      'leftAmount', amount_text(greatest(left_units, 0))) end
$$;

-- Inserts the event when a run ends; for open runs, schedulers check. Recorded once for each size of the budget: a
-- raised budget may be recorded again.
create function record_low_budget() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if exists (select from notifications where deleted_at is null) then
    new.low_notified := new.units;
    insert into notification_events (id, kind, at, campaign, detail)
    values (uuid_of_now(), 'budget.low', now(), new.campaign, low_budget(new.country,
      new.units, new.units - new.past_units, new.currency));
  end if;
  return new;
end $$;

create trigger record_low_budget before update of past_units on budgets for each row
  when (new.units > 0 and (new.units - new.past_units) * 10 < new.units
    and new.low_notified is distinct from new.units)
  execute function record_low_budget();
