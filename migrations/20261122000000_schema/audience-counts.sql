-- after: change-feed
-- Exact counts of audiences that people requested (docs/decisions/0101-saved-audiences-counts-and-use.md).

create table audience_counts (
  id uuid primary key,
  -- Account whose limit includes the request.
  account uuid not null,
  requested_by uuid not null,
  requested_at timestamptz not null default now(),
  -- Request: countries, and one or two audiences.
  request jsonb not null,
  -- SHA-256 of the request with the snapshots of its segments: equal requests share one count.
  key text not null,
  state text not null check (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
  -- Counts so far, by country.
  countries jsonb not null default '[]',
  -- Resolved sources of each audience in each country; null before they are resolved, and after the count has ended.
  resolved jsonb,
  -- Position of the count: the current country and the last counted user; null after the end.
  cursor jsonb,
  -- Reason why the count waits or has failed, as text for people.
  cause text,
  -- Trigger process that counts, with its lease. The token increases with each owner, so that earlier owners are fenced
  -- off.
  owner text,
  token int not null default 0,
  lease_until timestamptz,
  started_at timestamptz,
  ended_at timestamptz
);
create index audience_counts_by_key on audience_counts (key, id);
-- Finds the newest count of an audience, whatever snapshots it used.
create index audience_counts_of_audience
  on audience_counts (hashtextextended((request -> 'audience')::text, 0), ended_at desc)
  where state = 'done' and request -> 'with' is null;
create index audience_counts_open on audience_counts (id) where state in ('waiting', 'running');
create index audience_counts_ended on audience_counts (ended_at) where ended_at is not null;

create trigger notify_audience_counts after insert on audience_counts
  for each row execute function notify_change('audience-counts');
