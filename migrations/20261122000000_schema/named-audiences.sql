-- after: revisions
-- Audience sources that campaigns can refer to, ordered by use (docs/decisions/0101-saved-audiences-counts-and-use.md).

-- Returns a public id (a TypeID, shared/domain/ids) from a prefix and a uuid.
create function public_id(prefix text, id uuid) returns text
language sql immutable strict parallel safe as $$
  select prefix || '_' || string_agg(
    substr('0123456789abcdefghjkmnpqrstvwxyz', substring(bits from n * 5 + 1 for 5)::int + 1, 1), '' order by n)
  from (select B'00' || ('x' || replace(id::text, '-', ''))::bit(128) as bits) b, generate_series(0, 25) n
$$;

-- Uses of sources: by the current revision of each saved audience, and of each campaign that is not archived. A source
-- is included, excluded, or is the saved audience that a campaign's sources were copied from.
create table audience_uses (
  kind text not null,
  -- Name of the source in campaigns: a public id, or the id of a segment.
  source text collate "C" not null,
  -- True: used by a saved audience; false: by a campaign (docs/decisions/0101-saved-audiences-counts-and-use.md).
  by_saved_audience boolean not null,
  used_by uuid not null,
  -- True: the source is excluded; false: included.
  is_excluded boolean not null,
  primary key (kind, source, by_saved_audience, used_by)
);
-- A hash index has no order. So the planner cannot scan all uses through it, and finds the newest use of a source by
-- the primary key.
create index audience_uses_of_user on audience_uses using hash (used_by);

-- One row for each uploaded list, each saved audience, and each segment that a campaign or a saved audience names.
create table named_audiences (
  kind text not null check (kind in ('list', 'segment', 'saved')),
  source text collate "C" not null,
  -- Id of the list or saved audience; null for a segment, and if the object was deleted but is still referred to.
  target uuid,
  -- Numbers from audience_uses: campaigns that use the source, campaigns that exclude it, and saved audiences that use
  -- it.
  campaigns int not null default 0,
  excluded_by int not null default 0,
  saved_audiences int not null default 0,
  uses int not null generated always as (campaigns + saved_audiences) stored,
  is_available boolean not null generated always as (target is not null or kind = 'segment') stored,
  -- Orders sources with equal use: the newer one comes first.
  seq bigint not null generated always as identity,
  primary key (kind, source)
);
create index named_audiences_by_use on named_audiences (uses desc, seq desc) where is_available;
create index named_audiences_of_kind on named_audiences (kind, uses desc, seq desc) where is_available;
create index named_audiences_to_drop on named_audiences (kind, source) where uses = 0 and target is null;

-- Returns the lists and segments of an audience, each one once. A source that is both included and excluded counts as
-- included.
create function named_sources(audience jsonb) returns table (kind text, source text, is_excluded boolean)
language sql immutable parallel safe as $$
  select case when entry -> 'list' is not null then 'list' else 'segment' end,
    coalesce(entry ->> 'list', entry ->> 'segment'), bool_and(is_exclusion)
  from (
    select entry, false from jsonb_array_elements(audience -> 'include') entry
    union all
    select entry, true from jsonb_array_elements(audience -> 'exclude') entry
  ) e (entry, is_exclusion)
  where coalesce(entry -> 'list', entry -> 'segment') is not null
  group by 1, 2
$$;

-- Updates the uses of these campaigns and saved audiences, and adjusts the numbers in named_audiences.
create function record_audience_uses(changed uuid[]) returns void language plpgsql as $$
begin
  with wanted as materialized (
    select false as by_saved_audience, c.id as used_by, s.kind, s.source, s.is_excluded
    from campaigns c
    join revisions r on r.campaign = c.id and r.revision = c.revision
    cross join lateral named_sources(r.definition -> 'audience') s
    where c.id = any(changed) and c.archived_at is null
    union all
    select false, id, 'saved', saved_audience, false from campaigns
    where id = any(changed) and archived_at is null and saved_audience is not null
    union all
    select true, a.id, s.kind, s.source, s.is_excluded
    from saved_audiences a
    join revisions r on r.saved_audience = a.id and r.revision = a.revision
    cross join lateral named_sources(r.definition -> 'audience') s
    where a.id = any(changed)
  ), before as materialized (
    select by_saved_audience, used_by, kind, source, is_excluded from audience_uses where used_by = any(changed)
  ), gone as (
    delete from audience_uses u
    where u.used_by = any(changed) and not exists (
      select from wanted w where w.used_by = u.used_by and w.kind = u.kind and w.source = u.source)
  ), noted as (
    insert into audience_uses as u (kind, source, by_saved_audience, used_by, is_excluded)
    select kind, source, by_saved_audience, used_by, is_excluded from wanted
    on conflict (kind, source, by_saved_audience, used_by) do update set is_excluded = excluded.is_excluded
    where u.is_excluded <> excluded.is_excluded
  )
  -- Rows are sorted, so that two writers of the same sources do not deadlock. Saved audiences come last, because
  -- deleting one locks its lists and segments before its own row.
  insert into named_audiences as n (kind, source, campaigns, excluded_by, saved_audiences)
  select kind, source, sum(campaigns), sum(leaving), sum(saved) from (
    select kind, source, (not by_saved_audience)::int as campaigns,
      (is_excluded and not by_saved_audience)::int as leaving, by_saved_audience::int as saved
    from wanted
    union all
    select kind, source, -(not by_saved_audience)::int, -(is_excluded and not by_saved_audience)::int,
      -by_saved_audience::int
    from before
  ) difference
  group by kind, source having sum(campaigns) <> 0 or sum(leaving) <> 0 or sum(saved) <> 0
  order by kind = 'saved', kind, source
  on conflict (kind, source) do update
    set campaigns = n.campaigns + excluded.campaigns, excluded_by = n.excluded_by + excluded.excluded_by,
      saved_audiences = n.saved_audiences + excluded.saved_audiences;
  delete from named_audiences where (kind, source) in (
    select kind, source from named_audiences where uses = 0 and target is null limit 100 for update skip locked);
end $$;

-- Triggers run with the rights of the owner: services only read these tables.
create function record_written_revisions() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  changed uuid[] := array(select distinct coalesce(campaign, saved_audience) from written where template is null);
begin
  if changed <> '{}' then perform record_audience_uses(changed); end if;
  return null;
end $$;

create function record_changed_uses() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform record_audience_uses(array[coalesce(new.id, old.id)]);
  return null;
end $$;

create trigger record_written_revisions after insert on revisions
  referencing new table as written for each statement execute function record_written_revisions();
create trigger record_changed_campaign after update of archived_at, about on campaigns for each row
  when (old.archived_at is distinct from new.archived_at or old.saved_audience is distinct from new.saved_audience)
  execute function record_changed_uses();
create trigger record_deleted_campaign after delete on campaigns for each row execute function record_changed_uses();
-- Named so that it runs before record_named_audience: Postgres runs triggers in the order of their names.
create trigger record_deleted_saved_audience after delete on saved_audiences for each row
  execute function record_changed_uses();

-- Trigger arguments: the kind of source, and the prefix of its public ids.
create function record_named_audience() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into named_audiences (kind, source, target) values (tg_argv[0], public_id(tg_argv[1], new.id), new.id)
    on conflict (kind, source) do update set target = excluded.target;
  else
    delete from named_audiences
    where kind = tg_argv[0] and source = public_id(tg_argv[1], old.id) and uses = 0;
    update named_audiences set target = null where kind = tg_argv[0] and source = public_id(tg_argv[1], old.id);
  end if;
  return null;
end $$;

create trigger record_named_audience after insert or delete on audiences for each row
  execute function record_named_audience('list', 'aud');
create trigger record_named_audience after insert or delete on saved_audiences for each row
  execute function record_named_audience('saved', 'sav');
