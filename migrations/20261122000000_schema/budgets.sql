-- Budgets: so many units of a campaign in a country, reserved per batch before its call
-- (docs/decisions/0028-budgets.md). Campaigns without any have no row here, and their feeds no units.

-- What a campaign may spend in a country, over all of its runs (docs/decisions/0060-what-has-ended-is-one-number.md).
create table budgets (
  campaign uuid not null,
  country text not null,
  units bigint not null check (units >= 0),
  -- Spent by runs that have ended: added in the transaction that ends one, and taken off again as far as its unknown
  -- outcomes are settled as failed.
  past_units bigint not null default 0,
  -- The units of which webhooks were told that few are left.
  low_told bigint,
  primary key (campaign, country)
);

-- Units of a step of a batch whose call may be under way, or may have been applied. Not granted: it was asked for, and
-- did not fit.
create table budget_reservations (
  feed uuid not null,
  batch_no int not null,
  step int2 not null,
  units bigint not null,
  granted boolean not null,
  primary key (feed, batch_no, step)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

-- What goes to feeds.step_units.
create function step_units(of_campaign uuid, of_revision int, of_country text) returns int[] language sql stable as $$
  select array_agg(coalesce((s.step ->> 'unitsPerUser')::int, 0) order by s.place)
  from campaign_revisions c cross join jsonb_array_elements(c.definition -> 'chain') with ordinality s (step, place)
  where c.campaign = of_campaign and c.revision = of_revision
    and exists (select from budgets b where b.campaign = of_campaign and b.country = of_country)
$$;

-- Spent is what the totals of open runs count as succeeded or unknown, and one number for all that have ended: a run
-- moves from the one to the other in the transaction that ends it. Together with the reservations, all of it is of one moment: the transaction that records a step takes its reservation away.
create view budget_figures as
select b.campaign, b.country, b.units, b.past_units + coalesce(t.used, 0) as used, coalesce(v.reserved, 0) as reserved,
  coalesce(v.waiting, 0) as waiting
from budgets b
cross join lateral (
  select sum((t.succeeded + t.unknown) * f.step_units[t.step])::bigint as used
  from runs r
  join feeds f on f.run = r.id and f.country = b.country and f.step_units is not null
  join run_totals t on t.feed = f.feed
  where r.campaign = b.campaign and r.ended_at is null
) t
cross join lateral (
  select sum(v.units) filter (where v.granted)::bigint as reserved,
    count(*) filter (where not v.granted)::int as waiting
  from runs r
  join feeds f on f.run = r.id and f.country = b.country and f.step_units is not null
  join budget_reservations v on v.feed = f.feed
  where r.campaign = b.campaign and r.ended_at is null
) v;

-- Reserves what these steps cost, whole batches, the cheapest first. One row for each that did not fit; the cheapest of
-- them may have room for some of its users. A budget that another has locked is not waited for
-- (docs/decisions/0061-a-locked-budget-holds-up-no-flush.md): its steps come back without units, and nothing was done
-- about them. A function, so that the lock is held for one round trip: a worker that freezes cannot keep it. Its
-- statements see the rows of different moments, the second what was committed before the lock was given.
create function reserve_budgets(of_feeds uuid[], of_batch_nos int[], of_steps int2[])
returns table (place bigint, country text, units bigint, fits int) language plpgsql as $$
#variable_conflict use_column
declare
  campaigns uuid[];
  countries text[];
begin
  select array_agg(b.campaign), array_agg(b.country) into campaigns, countries
  from (
    select b.campaign, b.country from budgets b
    where (b.campaign, b.country) in (
      select r.campaign, f.country
      from unnest(of_feeds) k (feed) join feeds f on f.feed = k.feed join runs r on r.id = f.run)
    for update skip locked
  ) b;

  return query
  select k.place, f.country, null::bigint, null::int
  from unnest(of_feeds) with ordinality k (feed, place)
  join feeds f on f.feed = k.feed
  join runs r on r.id = f.run
  join budgets b on b.campaign = r.campaign and b.country = f.country
  where not exists (
    select from unnest(campaigns, countries) l (campaign, country)
    where l.campaign = b.campaign and l.country = b.country);

  return query
  with k as materialized (
    select k.place, k.feed, k.batch_no, k.step, r.campaign, f.country, f.step_units[k.step]::bigint as per_user,
      f.step_units[k.step] * coalesce(p.rest_users, b.n)::bigint as wanted
    from unnest(of_feeds, of_batch_nos, of_steps) with ordinality k (feed, batch_no, step, place)
    join feeds f on f.feed = k.feed
    join runs r on r.id = f.run
    cross join lateral (select n, from_step from batches where feed = k.feed and batch_no = k.batch_no limit 1) b
    left join lateral (
      select rest, rest_users from batch_steps
      where k.step > b.from_step and feed = k.feed and batch_no = k.batch_no and step = k.step - 1 and state = 3 limit 1
    ) p on true
    left join lateral (
      select state, lease_until, next_attempt_at from batch_steps
      where feed = k.feed and batch_no = k.batch_no and step = k.step limit 1
    ) s on true
    where f.step_units[k.step] > 0
      and (k.step = b.from_step or p.rest = 1 and p.rest_users > 0)
      and (s.state is null or s.state = 1 and s.lease_until < now() or s.state = 2 and s.next_attempt_at <= now())
      and not exists (
        select from budget_reservations v
        where v.feed = k.feed and v.batch_no = k.batch_no and v.step = k.step and v.granted)
  ), l as materialized (
    select campaign, country, units, units - used - reserved as left_units from budget_figures
    where (campaign, country) in (select * from unnest(campaigns, countries))
  ), o as materialized (
    select k.*, l.units, l.left_units, sum(k.wanted) over cheapest as upto
    from k join l using (campaign, country)
    window cheapest as (partition by k.campaign, k.country order by k.wanted, k.place)
  ), w as (
    insert into budget_reservations as v (feed, batch_no, step, units, granted)
    select feed, batch_no, step, wanted, upto <= left_units from o order by feed, batch_no, step
    on conflict (feed, batch_no, step) do update set units = excluded.units, granted = excluded.granted
      where not v.granted
  )
  select o.place, o.country, o.units,
    -- Of the first that did not fit: what was granted before it is upto without itself.
    case when o.upto - o.wanted <= o.left_units
      then floor((o.left_units - o.upto + o.wanted) / o.per_user)::int else 0 end
  from o where o.upto > o.left_units;

  -- Recorded between the two looks: its reservation was gone, and has just come back.
  delete from budget_reservations v using unnest(of_feeds, of_batch_nos, of_steps) k (feed, batch_no, step)
  where v.feed = k.feed and v.batch_no = k.batch_no and v.step = k.step
    and exists (
      select from batch_steps s where s.feed = k.feed and s.batch_no = k.batch_no and s.step = k.step and s.state = 3);
end $$;
