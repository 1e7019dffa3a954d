-- after: feeds, steps, users, runs
-- Caps: most effects of action types for a user within some days, over all campaigns
-- (docs/decisions/0169-caps.md).

-- Returns the action types of these caps, sorted, separated by commas.
create function capped_types(caps jsonb) returns text language sql immutable as $$
  select coalesce(string_agg(distinct t.name, ',' order by t.name), '')
  from jsonb_array_elements(caps) c (cap), jsonb_array_elements_text(c.cap -> 'actionTypes') t (name)
$$;

-- The newest row is in force; without a row, there are no caps.
create table cap_revisions (
  revision int primary key,
  -- Caps, as in keptCap of shared/contracts/endpoints/caps.ts.
  caps jsonb not null,
  -- For claims, which read it in each flush.
  action_types text not null generated always as (capped_types(caps)) stored,
  created_by uuid,
  created_at timestamptz not null default now()
);

-- Caps in force. Effects before counts_from are not counted.
create view caps as
select c.name, c."actionTypes" as action_types, c.countries, c.effects, c.days, c.counting, c.exempt,
  c."countsFrom" as counts_from
from (select caps from cap_revisions order by revision desc limit 1) n
cross join lateral jsonb_to_recordset(n.caps) c (name text, "actionTypes" text[], countries text[], effects int,
  days int, counting text, exempt uuid[], "countsFrom" timestamptz);

-- Range of user ids, with the country before the ids: the index finds the batches of a country that may have a user.
create type user_span as range (subtype = text, collation = "C");

create function span_of_users(country text, first_user text, last_user text) returns user_span
language sql immutable as $$
  select user_span(country || ' ' || first_user, country || ' ' || last_user, '[]')
$$;

-- Effects that caps count, one row for each step of a batch: its users were served, may have been served, or are
-- reserved for a call. Users that were certainly not served are removed.
create table capped_effects (
  feed uuid not null,
  batch_no int not null,
  step int2 not null,
  action_type text not null,
  country text not null,
  -- For caps that exempt campaigns.
  campaign uuid not null,
  -- Time of the last claim: the call follows within its lease.
  at timestamptz not null default now(),
  -- Users as in batches.users; empty if no user is left.
  users text storage main not null,
  span user_span not null,
  primary key (feed, batch_no, step)
) partition by range (feed);
create index capped_effects_span on capped_effects using spgist (span);

-- Returns the users of a JSON list without its brackets, in the same form, without the given ones.
create function users_without(users text, gone text[]) returns text language sql immutable strict as $$
  select coalesce(string_agg(to_json(u.id)::text, ',' order by u.position), '')
  from json_array_elements_text(('[' || users || ']')::json) with ordinality u (id, position)
  where u.id not in (select unnest(gone))
$$;

-- User that has reached a cap, with the number of counted effects and the limit of the cap.
create type capped_user as (user_id text, cap text, had int, effects int, days int);

-- Returns the earliest beginning of the first of these calendar days in the zones. today is one of the days. For a zone
-- that Postgres does not know, the day begins as early as anywhere.
create function beginning_of_days(days int, zones text[]) returns timestamptz language plpgsql stable as $$
declare
  zone text;
  earliest timestamptz;
begin
  foreach zone in array zones loop
    begin
      earliest := least(earliest, (date_trunc('day', now() at time zone zone) - (days - 1) * interval '1 day')
        at time zone zone);
    exception when invalid_parameter_value then
      earliest := least(earliest, (date_trunc('day', now() at time zone interval '14 hours')
        - (days - 1) * interval '1 day') at time zone interval '14 hours');
    end;
  end loop;
  return earliest;
end $$;

-- Returns the caps that apply to the steps of a type, with the time from which their effects count. zones: time zones
-- of the country, for calendar days; the earliest beginning of the day applies.
create function caps_of(of_campaign uuid, of_country text, of_type text, zones text[])
returns table (cap text, action_types text[], exempt uuid[], effects int, days int, since timestamptz)
language sql stable rows 2 as $$
  select c.name, c.action_types, c.exempt, c.effects, c.days, greatest(c.counts_from,
    case c.counting
      when 'rolling' then now() - c.days * interval '1 day'
      else beginning_of_days(c.days, zones)
    end)
  from caps c
  where of_type = any(c.action_types) and (c.countries is null or of_country = any(c.countries))
    and (c.exempt is null or of_campaign <> all (c.exempt))
$$;

-- Returns those of the users that have reached a cap, with the first cap by name and the number of counted effects.
-- The row of the given step does not count; nulls for users of no step. If the users are far apart, most rows in their
-- range have none of them, so each user is then searched for by itself.
create function users_at_caps(
  of_campaign uuid, of_country text, of_type text, zones text[], of_users text, own_feed uuid, own_batch_no int,
  own_step int2
) returns setof capped_user language sql stable as $$
  with c as materialized (
    select * from caps_of(of_campaign, of_country, of_type, zones)
  ), u as materialized (
    select u.id from json_array_elements_text(('[' || of_users || ']')::json) u (id)
  ), s as materialized (
    select span_of_users(of_country, min(u.id collate "C"), max(u.id collate "C")) as span from u
  ), far as materialized (
    select count(*) > 200 as apart from (select from capped_effects where span && (select span from s) limit 201) e
  ), e as (
    select e.feed, e.batch_no, e.step, e.action_type, e.campaign, e.at, x.id
    from capped_effects e
    cross join lateral json_array_elements_text(('[' || e.users || ']')::json) x (id)
    join u on u.id = x.id
    where not (select apart from far) and e.span && (select span from s)
      and e.at > (select min(since) from c) and e.users <> ''
    union all
    select e.feed, e.batch_no, e.step, e.action_type, e.campaign, e.at, u.id
    from u
    cross join lateral (
      select e.* from capped_effects e
      where (select apart from far) and e.span @> (of_country || ' ' || u.id) and e.at > (select min(since) from c)
        and case when strpos(e.users, to_json(u.id)::text) = 0 then false
          else jsonb_exists(('[' || e.users || ']')::jsonb, u.id) end
    ) e
  )
  select distinct on (e.id) e.id, c.cap, count(*)::int, c.effects, c.days
  from c
  join e on e.action_type = any(c.action_types) and e.at > c.since
    and (c.exempt is null or e.campaign <> all (c.exempt))
    and (e.feed, e.batch_no, e.step) is distinct from (own_feed, own_batch_no, own_step)
  group by e.id, c.cap, c.effects, c.days
  having count(*) >= c.effects
  order by e.id, c.cap
$$;

-- Returns these steps with what a reservation of effects needs, except steps of tests and dry runs. is_due: false if the
-- step cannot be claimed now.
create function steps_to_reserve(
  of_feeds uuid[], of_batch_nos int[], of_steps int2[], of_types text[], of_zones text[]
) returns table (place int, feed uuid, batch_no int, step int2, type text, zones text[], country text, campaign uuid,
  users text, span user_span, has_lost boolean, is_due boolean, may_have_been_called boolean, own text)
language sql stable rows 50 as $$
  select k.place::int, k.feed, k.batch_no, k.step, k.type, string_to_array(k.zones, ','), f.country, r.campaign,
    b.users, span_of_users(f.country, b.first_user, b.last_user), p.lost_digest is not null,
    b.users is not null and (k.step = b.from_step or coalesce(p.rest = 1 and p.rest_users > 0, false))
      and (s.state is null or s.state = 1 and s.lease_until < now() or s.state = 2 and s.next_attempt_at <= now()),
    coalesce(s.open or s.state = 1 and (s.lapses = 0 or s.begun), false), o.users
  from unnest(of_feeds, of_batch_nos, of_steps, of_types, of_zones) with ordinality
    k (feed, batch_no, step, type, zones, place)
  left join feeds f on f.feed = k.feed
  left join runs r on r.id = f.run
  left join lateral (
    select users, from_step, first_user, last_user from batches where feed = k.feed and batch_no = k.batch_no limit 1
  ) b on true
  left join lateral (
    select rest, rest_users, lost_digest from batch_steps
    where k.step > b.from_step and feed = k.feed and batch_no = k.batch_no and step = k.step - 1 and state = 3 limit 1
  ) p on true
  left join lateral (
    select state, lease_until, next_attempt_at, open, lapses, begun from batch_steps
    where feed = k.feed and batch_no = k.batch_no and step = k.step limit 1
  ) s on true
  left join lateral (
    select users from capped_effects where feed = k.feed and batch_no = k.batch_no and step = k.step limit 1
  ) o on true
  where f.feed is null or r.kind = 'live'
$$;

-- answer: 'reserved' with a digest of the users whose effects are reserved; 'busy' if another transaction reserves
-- effects in the country, or settles those of the step, so that it was passed over; 'skipped' if the step could not be
-- claimed. A row with the answer 'capped' is a user of a reserved step that has reached a cap.
create type effect_answer as (place int, answer text, digest text, user_id text, cap text, had int, effects int, days int);

-- Returns an answer without a user.
create function effect_answer_of(place int, answer text, digest text) returns effect_answer language sql immutable as $$
  select (place, answer, digest, null, null, null, null, null)::effect_answer
$$;

-- Reserves an effect for each user of these steps that has not reached a cap. Steps without a cap are not returned.
-- Steps whose call may have been made keep their users, because only the same users settle the call.
-- The lock of a country is held for one round trip only, so a worker that freezes cannot keep it. Each statement of
-- this function has a snapshot of its own, from after the lock was granted. No statement waits for another lock.
create function reserve_effects(
  of_feeds uuid[], of_batch_nos int[], of_steps int2[], of_types text[], of_zones text[]
) returns setof effect_answer language plpgsql as $$
#variable_conflict use_column
declare
  free_countries text[];
  all_busy boolean;
  answers effect_answer[];
  others int[];
  of_place int;
  is_locked boolean;
  k record;
  remaining text;
  capped capped_user[];
begin
  with c as materialized (
    select distinct k.country
    from (
      select distinct f.country, r.campaign, k.type from unnest(of_feeds, of_types) k (feed, type)
      join feeds f on f.feed = k.feed join runs r on r.id = f.run and r.kind = 'live'
    ) k
    where exists (select from caps_of(k.campaign, k.country, k.type, '{}'))
    order by k.country
  ), l as materialized (
    select c.country, pg_try_advisory_xact_lock(hashtextextended('caps ' || c.country, 0)) as is_free from c
  )
  select coalesce(array_agg(l.country) filter (where l.is_free), '{}'), coalesce(bool_and(not l.is_free), false)
  into free_countries, all_busy from l;

  if all_busy then
    return query select (effect_answer_of(k.place::int, 'busy', null)).*
    from unnest(of_feeds, of_types) with ordinality k (feed, type, place)
    left join feeds f on f.feed = k.feed
    left join runs r on r.id = f.run
    where f.feed is null
      or r.kind = 'live' and exists (select from caps_of(r.campaign, f.country, k.type, '{}'));
    return;
  end if;

  -- Usually, fewer steps than a cap allows have called users in the range of a batch. A user is at most once in a step
  -- of a feed, so none can have reached the cap, and all are reserved in one statement. The steps of this call count
  -- too. Of a wide range, only a part is read, and its users are compared.
  with k as materialized (
    select * from steps_to_reserve(of_feeds, of_batch_nos, of_steps, of_types, of_zones)
  ), g as materialized (
    select g.*, c.* from (select distinct campaign, country, type, zones from k) g
    cross join lateral caps_of(g.campaign, g.country, g.type, g.zones) c
  ), t as (
    select country, count(distinct (feed, step)) as steps from k where is_due group by country
  ), v as materialized (
    select k.*, case
        when not k.is_due then 'skipped'
        when k.country <> all (free_countries) then 'busy'
        when k.own is null and not k.has_lost and not exists (
          select from g
          where g.campaign = k.campaign and g.country = k.country and g.type = k.type and g.effects < t.steps + (
            select count(distinct (e.feed, e.step)) + case count(*) when 1000 then g.effects else 0 end
            from (
              select e.feed, e.step from capped_effects e
              where e.span && k.span and e.at > g.since and e.action_type = any(g.action_types) limit 1000
            ) e)) then 'reserved'
      end as answer
    from k left join t using (country)
    where k.campaign is null
      or exists (select from g where g.campaign = k.campaign and g.country = k.country and g.type = k.type)
  ), i as (
    insert into capped_effects (feed, batch_no, step, action_type, country, campaign, users, span)
    select feed, batch_no, step, type, country, campaign, users, span from v
    where answer = 'reserved'
  )
  select array_agg(effect_answer_of(v.place, v.answer, md5(v.users))) filter (where v.answer is not null),
    array_agg(v.place order by v.place) filter (where v.answer is null)
  into answers, others from v;
  return query select * from unnest(answers);

  foreach of_place in array coalesce(others, '{}') loop
    -- Locked before it is read: its owner may be recording the step just now.
    perform from capped_effects
    where feed = of_feeds[of_place] and batch_no = of_batch_nos[of_place] and step = of_steps[of_place]
    for update skip locked;
    is_locked := found;
    select * into k from steps_to_reserve(of_feeds[of_place:of_place], of_batch_nos[of_place:of_place],
      of_steps[of_place:of_place], of_types[of_place:of_place], of_zones[of_place:of_place]);
    if k.own is not null and not is_locked then
      return next effect_answer_of(of_place, 'busy', null);
      continue;
    end if;
    if not k.is_due then
      return next effect_answer_of(of_place, 'skipped', null);
      continue;
    end if;
    remaining := case when k.has_lost then users_without(k.users, array(
      select f.user_id from user_failures f where f.feed = k.feed and f.batch_no = k.batch_no and f.step < k.step
      union all
      select u.id from batches b, json_array_elements_text(('[' || b.users || ']')::json) u (id)
      where b.feed = k.feed and b.parent = k.batch_no and b.from_step < k.step)) else k.users end;
    if k.may_have_been_called then
      remaining := coalesce(k.own, remaining);
    else
      select array_agg(x) into capped
      from users_at_caps(k.campaign, k.country, k.type, k.zones, remaining, k.feed, k.batch_no, k.step) x;
      if capped is not null then
        remaining := users_without(remaining, array(select (unnest(capped)).user_id));
        return query select of_place, 'capped', null::text, c.user_id, c.cap, c.had, c.effects, c.days
        from unnest(capped) c;
      end if;
    end if;
    insert into capped_effects as e (feed, batch_no, step, action_type, country, campaign, users, span)
    values (k.feed, k.batch_no, k.step, k.type, k.country, k.campaign, remaining, k.span)
    on conflict (feed, batch_no, step) do update set users = excluded.users, at = now();
    return next effect_answer_of(of_place, 'reserved', md5(remaining));
  end loop;
end $$;
