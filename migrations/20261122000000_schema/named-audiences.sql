-- What campaigns can name, in the order in which they do (docs/decisions/0117-all-audiences-in-one-list.md).

-- A TypeID of shared/domain/ids, of its prefix and its uuid.
create function public_id(prefix text, id uuid) returns text
language sql immutable strict parallel safe as $$
  select prefix || '_' || string_agg(
    substr('0123456789abcdefghjkmnpqrstvwxyz', substring(bits from n * 5 + 1 for 5)::int + 1, 1), '' order by n)
  from (select B'00' || ('x' || replace(id::text, '-', ''))::bit(128) as bits) b, generate_series(0, 25) n
$$;

-- What the present revision of each campaign that is not put away takes in or leaves out, and the saved audience that
-- its sources were taken from.
create table audience_uses (
  kind text not null,
  -- As campaigns name it: a public id, or the id of a segment.
  source text collate "C" not null,
  campaign uuid not null,
  -- It leaves it out, and does not take it in.
  left_out boolean not null,
  primary key (kind, source, campaign)
);
create index audience_uses_of_campaign on audience_uses (campaign);

-- One row for each uploaded list, each saved audience, and each segment that a campaign names.
create table named_audiences (
  kind text not null check (kind in ('list', 'segment', 'saved')),
  source text collate "C" not null,
  -- Of a list or a saved audience: null once it is deleted, while a campaign names it still.
  target uuid,
  -- Sums of audience_uses.
  campaigns int not null default 0,
  left_out_by int not null default 0,
  is_there boolean not null generated always as (target is not null or kind = 'segment') stored,
  -- Of two that are used alike, the one that came later is first.
  seq bigint not null generated always as identity,
  primary key (kind, source)
);
create index named_audiences_by_use on named_audiences (campaigns desc, seq desc) where is_there;
create index named_audiences_of_kind on named_audiences (kind, campaigns desc, seq desc) where is_there;
create index named_audiences_to_drop on named_audiences (kind, source) where campaigns = 0 and target is null;

-- What these campaigns name now, and how many name each: the difference to before is counted.
create function note_audience_uses(changed uuid[]) returns void language plpgsql as $$
begin
  with wanted as materialized (
    select campaign, kind, source, bool_and(left_out) as left_out from (
      select c.id as campaign, case when e.entry -> 'list' is not null then 'list' else 'segment' end as kind,
        coalesce(e.entry ->> 'list', e.entry ->> 'segment') as source, e.left_out
      from campaigns c
      join campaign_revisions r on r.campaign = c.id and r.revision = c.revision
      cross join lateral (
        select entry, false as left_out from jsonb_array_elements(r.definition -> 'audience' -> 'include') entry
        union all
        select entry, true from jsonb_array_elements(r.definition -> 'audience' -> 'exclude') entry
      ) e
      where c.id = any(changed) and c.archived_at is null and coalesce(e.entry -> 'list', e.entry -> 'segment') is not null
      union all
      select id, 'saved', saved_audience, false from campaigns
      where id = any(changed) and archived_at is null and saved_audience is not null
    ) named group by campaign, kind, source
  ), before as materialized (
    select campaign, kind, source, left_out from audience_uses where campaign = any(changed)
  ), gone as (
    delete from audience_uses u
    where u.campaign = any(changed) and not exists (
      select from wanted w where w.campaign = u.campaign and w.kind = u.kind and w.source = u.source)
  ), noted as (
    insert into audience_uses as u (kind, source, campaign, left_out)
    select kind, source, campaign, left_out from wanted
    on conflict (kind, source, campaign) do update set left_out = excluded.left_out
    where u.left_out <> excluded.left_out
  )
  -- Sorted, so that two campaigns that name the same never wait for each other in a ring.
  insert into named_audiences as n (kind, source, campaigns, left_out_by)
  select kind, source, sum(uses), sum(leaving) from (
    select kind, source, 1 as uses, left_out::int as leaving from wanted
    union all
    select kind, source, -1, -left_out::int from before
  ) difference
  group by kind, source having sum(uses) <> 0 or sum(leaving) <> 0
  order by kind, source
  on conflict (kind, source) do update
    set campaigns = n.campaigns + excluded.campaigns, left_out_by = n.left_out_by + excluded.left_out_by;
  delete from named_audiences where (kind, source) in (
    select kind, source from named_audiences where campaigns = 0 and target is null limit 100 for update skip locked);
end $$;

-- Triggers run with the rights of the owner: services only read these tables.
create function note_written_revisions() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform note_audience_uses(array(select distinct campaign from written));
  return null;
end $$;

create function note_changed_campaign() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform note_audience_uses(array[coalesce(new.id, old.id)]);
  return null;
end $$;

create trigger note_written_revisions after insert on campaign_revisions
  referencing new table as written for each statement execute function note_written_revisions();
create trigger note_changed_campaign after update of archived_at, about on campaigns for each row
  when (old.archived_at is distinct from new.archived_at or old.saved_audience is distinct from new.saved_audience)
  execute function note_changed_campaign();
create trigger note_deleted_campaign after delete on campaigns for each row execute function note_changed_campaign();

-- Its arguments: the kind, and the prefix of its ids.
create function note_named_audience() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if tg_op = 'INSERT' then
    insert into named_audiences (kind, source, target) values (tg_argv[0], public_id(tg_argv[1], new.id), new.id)
    on conflict (kind, source) do update set target = excluded.target;
  else
    delete from named_audiences
    where kind = tg_argv[0] and source = public_id(tg_argv[1], old.id) and campaigns = 0;
    update named_audiences set target = null where kind = tg_argv[0] and source = public_id(tg_argv[1], old.id);
  end if;
  return null;
end $$;

create trigger note_named_audience after insert or delete on audiences for each row
  execute function note_named_audience('list', 'aud');
create trigger note_named_audience after insert or delete on saved_audiences for each row
  execute function note_named_audience('saved', 'sav');
