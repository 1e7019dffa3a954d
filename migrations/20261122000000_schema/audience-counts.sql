-- after: change-feed
-- Audiences counted exactly, because a person asked (docs/decisions/0101-saved-audiences-counts-and-use.md).

create table audience_counts (
  id uuid primary key,
  -- Whose bound it counts in.
  account uuid not null,
  -- The key that asked.
  asked_by uuid not null,
  asked_at timestamptz not null default now(),
  -- Countries, and one audience or two.
  question jsonb not null,
  -- SHA-256 of the question with the snapshots of its segments: the same is answered by the same count.
  key text not null,
  state text not null check (state in ('waiting', 'running', 'done', 'failed', 'cancelled')),
  -- What was counted so far, by country.
  countries jsonb not null default '[]',
  -- What each audience is made of in each country; null: nobody has asked yet, or it has ended.
  resolved jsonb,
  -- The country that is counted now, and the last user that is; null once it has ended.
  place jsonb,
  -- Why it waits or has failed, for people.
  cause text,
  -- The trigger that counts, and until when it is believed to; the token refuses who was believed before.
  owner text,
  token int not null default 0,
  lease_until timestamptz,
  started_at timestamptz,
  ended_at timestamptz
);
create index audience_counts_by_key on audience_counts (key, id);
-- The newest answer for an audience, whichever snapshots it was about.
create index audience_counts_of_audience
  on audience_counts (hashtextextended((question -> 'audience')::text, 0), ended_at desc)
  where state = 'done' and question -> 'with' is null;
create index audience_counts_open on audience_counts (id) where state in ('waiting', 'running');
create index audience_counts_ended on audience_counts (ended_at) where ended_at is not null;

create trigger tell_of_audience_counts after insert on audience_counts
  for each row execute function tell('audience-counts');
