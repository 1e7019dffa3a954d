-- after: change-feed
-- Exact counts of audiences that people requested (docs/decisions/0101-saved-audiences-counts-and-use.md).

create table audience_counts (
  id uuid primary key,
  -- Account whose limit counts the request.
  account uuid not null,
  asked_by uuid not null,
  asked_at timestamptz not null default now(),
  -- Countries, and one audience or two.
  question jsonb not null,
  -- SHA-256 of the question with the snapshots of its segments: equal questions share one count.
  key text not null,
  state text not null check (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
  -- Counts so far, by country.
  countries jsonb not null default '[]',
  -- Resolved sources of each audience in each country; null before they are resolved, and after the end.
  resolved jsonb,
  -- Country being counted, and the last counted user; null after the end.
  place jsonb,
  -- Reason of waiting or failure, for people.
  cause text,
  -- Trigger that counts, with its lease; the token fences earlier owners.
  owner text,
  token int not null default 0,
  lease_until timestamptz,
  started_at timestamptz,
  ended_at timestamptz
);
create index audience_counts_by_key on audience_counts (key, id);
-- Index for the newest answer of an audience, whatever its snapshots.
create index audience_counts_of_audience
  on audience_counts (hashtextextended((question -> 'audience')::text, 0), ended_at desc)
  where state = 'done' and question -> 'with' is null;
create index audience_counts_open on audience_counts (id) where state in ('waiting', 'running');
create index audience_counts_ended on audience_counts (ended_at) where ended_at is not null;

create trigger tell_of_audience_counts after insert on audience_counts
  for each row execute function tell('audience-counts');
