-- after: feeds, revisions, runs, steps
-- Budgets: units or money that a campaign may spend in a country, reserved for each batch before its call
-- (docs/decisions/0028-budgets-and-money.md). Campaigns without budgets have no row here, and step_units of their feeds
-- is null.

-- Amount that a campaign may spend in a country, over all of its runs.
create table budgets (
  campaign uuid not null,
  country text not null,
  -- Size of the budget. For a monetary budget: millionths of its currency, as in all reserved and spent amounts.
  units bigint not null check (units >= 0),
  -- ISO 4217; null: the budget is in units.
  currency text,
  -- Units spent by ended runs. The transaction that ends a run increases them; settling unknown outcomes as failed
  -- reduces them.
  past_units bigint not null default 0,
  -- Size of the budget when `budget.low` was last recorded; null: never.
  low_notified_units bigint,
  primary key (campaign, country)
);

-- Units reserved for a step of a batch whose call may be in progress or may have been applied. granted is false if the
-- step requested units that the budget did not cover.
create table budget_reservations (
  feed uuid not null,
  batch_no int not null,
  step int2 not null,
  units bigint not null,
  granted boolean not null,
  primary key (feed, batch_no, step)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

-- Returns the value for feeds.step_units: the cost of a user in each step, in the unit of the country's budget. An
-- element is null if the step has a cost but the run's stored prices have no price for it; such a feed cannot be
-- inserted.
create function step_units(of_campaign uuid, of_revision int, of_country text, prices jsonb)
returns bigint[] language sql stable as $$
  select array_agg(
    case when u.units = 0 or b.currency is null then u.units
      when b.currency = prices ->> 'currency'
        then (u.units * (prices -> 'steps' ->> (s.place - 1)::int)::numeric * 1000000)::bigint
    end order by s.place)
  from budgets b
  join revisions c on c.campaign = b.campaign and c.revision = of_revision
  cross join jsonb_array_elements(c.definition -> 'chain') with ordinality s (step, place)
  cross join lateral (select coalesce((s.step ->> 'unitsPerUser')::bigint, 0) as units) u
  where b.campaign = of_campaign and b.country = of_country
$$;

-- Formats an amount as a decimal with at least two decimal places, and more if needed (shared/domain/money).
create function format_amount(millionths bigint) returns text language sql immutable as $$
  select regexp_replace((millionths * 0.000001)::text, '0{1,4}$', '')
$$;

-- Formats an amount for people: 1,234, or 1,234.50.
create function format_budget(units bigint, currency text) returns text language sql stable as $$
  select case when currency is null then to_char(units, 'FM999,999,999,999,999,999,990')
    else to_char(units * 0.000001, 'FM999,999,999,999,990.009999') end
$$;

-- Returns the budgets of a campaign definition as rows.
create function budgets_in(definition jsonb) returns table (country text, units bigint, currency text)
language sql immutable as $$
  select k.country, coalesce(k.units, (k.amount * 1000000)::bigint), k.currency
  from jsonb_to_recordset(definition -> 'budgets') k (country text, units bigint, amount numeric, currency text)
$$;

-- Returns the current budgets of a campaign in the form that definitions use; null if it has none.
create function budgets_of(of_campaign uuid) returns jsonb language sql stable as $$
  select jsonb_build_object('budgets', jsonb_agg(
    case when currency is null then jsonb_build_object('country', country, 'units', units)
      else jsonb_build_object('country', country, 'amount', format_amount(units), 'currency', currency) end
    order by country))
  from budgets where campaign = of_campaign having count(*) > 0
$$;

-- Used and reserved amounts of each budget. The used amount is the cost of users of open runs that succeeded or are
-- unknown, plus past_units for all ended runs. The transaction that ends a run moves its amount from the first part to
-- the second. Used and reserved amounts are consistent, because the transaction that records a step deletes its
-- reservation.
create view budget_figures as
-- Each table is read once for all feeds of the open runs, in the order of its index: an index search for each feed
-- would read twice as many pages. A feed without batches has neither totals nor reservations, and is skipped.
select b.campaign, b.country, b.units, b.past_units + coalesce(o.used, 0) as used, coalesce(o.reserved, 0) as reserved,
  coalesce(o.waiting, 0) as waiting, b.currency
from budgets b
cross join lateral (
  with f as materialized (
    select f.feed, f.step_units from feeds f
    where f.run = any (array(select r.id from runs r where r.campaign = b.campaign and r.ended_at is null))
      and f.country = b.country and f.step_units is not null and f.next_batch_no > 1
  ), t as materialized (
    select t.feed, t.step, t.succeeded + t.unknown as users from run_totals t
    where t.feed = any (array(select feed from f))
  ), v as (
    select sum(v.units) filter (where v.granted)::bigint as reserved,
      (count(*) filter (where not v.granted))::int as waiting
    from budget_reservations v where v.feed = any (array(select feed from f))
  )
  select (select sum(t.users * f.step_units[t.step])::bigint from t join f using (feed)) as used, v.reserved, v.waiting
  from v
) o;

-- Returns the amounts of a monetary budget as decimals; null for a budget in units.
create function money_figures(b budget_figures) returns jsonb language sql immutable as $$
  select case when b.currency is not null then jsonb_build_object('currency', b.currency,
    'amount', format_amount(b.units), 'used', format_amount(b.used), 'reserved', format_amount(b.reserved),
    'left', format_amount(b.units - b.used - b.reserved)) end
$$;

-- Reserves the cost of these steps for whole batches, the cheapest first. Returns a row for each step that the budget
-- does not cover. One of these steps may fit for some of its users (`fits`).
-- Budgets that another transaction has locked are skipped: their steps are returned without units, and their
-- reservations stay unchanged. A function holds the lock for one round trip only, so a worker that freezes cannot keep
-- it. The two statements have different snapshots; the second one sees all commits from before the lock was granted.
create function reserve_budgets(of_feeds uuid[], of_batch_nos int[], of_steps int2[])
returns table (place bigint, country text, units bigint, fits int, currency text) language plpgsql as $$
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

  -- Materialized, because the planner would otherwise start with budgets that are not locked, and read all runs of
  -- their campaigns.
  return query
  with k as materialized (
    select k.place, r.campaign, f.country
    from unnest(of_feeds) with ordinality k (feed, place)
    join feeds f on f.feed = k.feed
    join runs r on r.id = f.run
  )
  select k.place, k.country, null::bigint, null::int, null
  from k
  cross join lateral (select from budgets b where b.campaign = k.campaign and b.country = k.country limit 1) b
  where not exists (
    select from unnest(campaigns, countries) l (campaign, country)
    where l.campaign = k.campaign and l.country = k.country);

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
    -- The limit stops the planner from summing up the budgets of all campaigns first.
    select f.campaign, f.country, f.units, f.units - f.used - f.reserved as left_units, f.currency
    from unnest(campaigns, countries) k (campaign, country)
    cross join lateral (
      select * from budget_figures f where f.campaign = k.campaign and f.country = k.country limit 1
    ) f
  ), o as materialized (
    select k.*, l.units, l.left_units, l.currency, sum(k.wanted) over cheapest as upto
    from k join l using (campaign, country)
    window cheapest as (partition by k.campaign, k.country order by k.wanted, k.place)
  ), w as (
    insert into budget_reservations as v (feed, batch_no, step, units, granted)
    select feed, batch_no, step, wanted, upto <= left_units from o order by feed, batch_no, step
    on conflict (feed, batch_no, step) do update set units = excluded.units, granted = excluded.granted
      where not v.granted
  )
  -- The remaining budget goes to some users of the cheapest batch for which it covers at least one user. A more
  -- expensive step that comes earlier must not block it, because the remainder may never cover a user of that step.
  select s.place, s.country, s.units,
    case when s.per_user <= s.rest and row_number() over (
      partition by s.campaign, s.country, s.per_user <= s.rest order by s.wanted, s.place) = 1
      then floor(s.rest / s.per_user)::int else 0 end,
    s.currency
  from (
    select o.*, o.left_units - coalesce(max(o.upto) filter (where o.upto <= o.left_units)
      over (partition by o.campaign, o.country), 0) as rest
    from o
  ) s where s.upto > s.left_units;

  -- If the step was recorded between the two statements, its reservation was deleted, and the second statement has
  -- inserted it again.
  delete from budget_reservations v using unnest(of_feeds, of_batch_nos, of_steps) k (feed, batch_no, step)
  where v.feed = k.feed and v.batch_no = k.batch_no and v.step = k.step
    and exists (
      select from batch_steps s where s.feed = k.feed and s.batch_no = k.batch_no and s.step = k.step and s.state = 3);
end $$;
