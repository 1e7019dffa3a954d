import { beforeLocalStart } from '../../../../shared/contracts/runs/feed-audience.ts';
import { maxTroubleEvents, type TroubleEventKind } from '../../../../shared/domain/run/run-events.ts';
import {
  reportedShards,
  isUnserved,
  takenUpWithin,
  unservedCause,
  unservedSince,
} from '../../../../shared/postgres/registry/shard-refusals.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import { firstGapMs, maxPoints } from '../../../../shared/domain/run/run-points.ts';

/**
 * SQL for the number of ended users in the totals `t`. Expired and cancelled users are not included, because they do
 * not show how fast a run was.
 */
const endedUsers = `coalesce(sum(t.succeeded + t.failed + t.unknown + t.suppressed), 0)::bigint`;

const gapsSince = (elapsed: string) => `extract(epoch from ${elapsed}) * 1000 / ${firstGapMs}`;

/**
 * Adds a point for the current time slot of each run that does not have one yet. The arrays `runs` and `ended` have one
 * entry per run. The primary key prevents duplicates by concurrent triggers. The slot is computed as in `pointPlaceOf`,
 * but with the database's clock.
 */
export const notePoints = statementOf<{ runs: string; ended: string }>(
  'note-points',
  ($) => `
  with due as (
    select r.id, n.ended, k.stride, p.slot
    from unnest(${$('runs')}::uuid[], ${$('ended')}::bigint[]) n (run, ended)
    join runs r on r.id = n.run and r.ended_at is null and r.started_at is not null
    cross join lateral (select ${gapsSince('now() - r.started_at')} as gaps) e
    cross join lateral (
      select 1 << case when e.gaps <= ${maxPoints} then 0 else ceil(log(2.0, e.gaps / ${maxPoints}))::int end as stride
    ) k
    cross join lateral (select (floor(e.gaps / k.stride) * k.stride)::int as slot) p
    where not exists (select from run_progress n where n.run = r.id and n.slot = p.slot)
  ), gone as (
    delete from run_progress n using due d where n.run = d.id and d.stride > 1 and n.slot % d.stride <> 0
  )
  insert into run_progress (run, slot, at, ended)
  select id, slot, now(), ended from due
  on conflict do nothing`,
);

export const noteEnd = `
  insert into run_progress (run, slot, at, ended)
  select r.id, floor(${gapsSince('r.ended_at - r.started_at')})::int, r.ended_at,
    (select ${endedUsers} from feeds f join run_totals t using (feed) where f.run = r.id)
  from r where r.started_at is not null
  on conflict (run, slot) do update set at = excluded.at, ended = excluded.ended`;

/** Condition that users are in the step `s.place` of the feed `f`, or will still reach this step. */
const isAwaited = `
  (not f.complete or f.fed_users - f.held_out_users > (
    select coalesce(sum(failed + expired + cancelled + unknown + suppressed), 0) + coalesce(sum(succeeded)
      filter (where t.step = s.place), 0)
    from run_totals t where t.feed = f.feed and t.step <= s.place
  ))`;

/** Condition that batches of the feed `f` are in the step `s.place`. */
const isEntered = `
  (case when s.place = f.from_step then f.next_batch_no - 1 else 0 end + (
    select coalesce(sum(survived) filter (where t.step < s.place), 0)
      + coalesce(sum(created - done) filter (where t.step = s.place), 0)
    from run_totals t where t.feed = f.feed and t.step in (s.place - 1, s.place)
  )) > 0`;

const begins: Record<string, TroubleEventKind> = {
  breaker: 'breaker-opened',
  worker: 'worker-missing',
  hold: 'step-held',
  feed: 'feed-stalled',
};
const ends: Record<string, TroubleEventKind> = {
  breaker: 'breaker-closed',
  worker: 'worker-back',
  hold: 'step-released',
  feed: 'feed-moved',
};

const kindOf = (kinds: Record<string, TroubleEventKind>) =>
  `case kind ${Object.entries(kinds)
    .map(([kind, event]) => `when '${kind}' then '${event}'`)
    .join(' ')} end`;

/**
 * Compares the current troubles of runs with the stored ones. One statement inserts or deletes each row together with
 * its event. If the trouble still exists, but no batch waits for it any more, the row is deleted without an event.
 * Missing workers are recorded only while a run is in the state `running`. Only runs that use a shard without a worker
 * are examined, because such shards are few.
 */
export const noteTroubles = `
  with unserved as materialized (
    select s.action_type, s.country, h.served_at, h.refusal
    from shards s left join (${reportedShards}
    ) h using (action_type, country)
    where ${isUnserved('h')}
  ), present as (
    select distinct on (run, kind, step, country) * from (
      select f.run, 'hold' as kind, h.step, f.country, h.cause, h.since
      from runs r join feeds f on f.run = r.id join holds h on h.feed = f.feed and h.kind = 'fault'
      where r.id = any($2::uuid[]) and r.ended_at is null
      union all
      select f.run, 'feed', f.from_step, f.country, f.stalled, now()
      from runs r join feeds f on f.run = r.id
      where r.id = any($2::uuid[]) and r.ended_at is null and not f.complete and f.stalled <> '${beforeLocalStart}'
        and (f.stalls >= 2 or f.stalled_until is null)
      union all
      select f.run, 'breaker', s.place::int2, f.country, g.cause, greatest(g.opened_at, r.started_at)
      from runs r
      join feeds f on f.run = r.id
      join shard_breakers g on g.country = f.country and g.state = 'open'
      join revisions c on c.campaign = r.campaign and c.revision = r.revision
      join lateral jsonb_array_elements(c.definition -> 'chain') with ordinality s (step, place)
        on s.step ->> 'action' = g.action_type and s.place >= f.from_step
      where r.id = any($2::uuid[]) and r.ended_at is null and not f.dry and ${isAwaited}
      union all
      select f.run, 'worker', s.place::int2, f.country, ${unservedCause('u')}, ${unservedSince('u', 'r')}
      from runs r
      join feeds f on f.run = r.id
      join unserved u on u.country = f.country
      join revisions c on c.campaign = r.campaign and c.revision = r.revision
      join lateral jsonb_array_elements(c.definition -> 'chain') with ordinality s (step, place)
        on s.step ->> 'action' = u.action_type and s.place >= f.from_step
      where r.id = any($2::uuid[]) and r.ended_at is null and not f.dry and r.started_at <= now() - ${takenUpWithin}
        and (r.state = 'running' or exists (select from run_problems t
          where (t.run, t.kind, t.step, t.country) = (r.id, 'worker', s.place, f.country)))
        and ${isEntered}
    ) p order by run, kind, step, country, since
  ), gone as (
    delete from run_problems t
    where t.run = any($2::uuid[]) and not exists (select from present p
      where (p.run, p.kind, p.step, p.country) = (t.run, t.kind, t.step, t.country))
    returning t.*
  ), come as (
    insert into run_problems (run, kind, step, country, cause, since) select run, kind, step, country, cause, since
      from present
    on conflict do nothing
    returning *
  ), events as (
    select run, kind as trouble, ${kindOf(begins)} as kind, step, country, cause, null::float8 as "forMs" from come
    union all
    select run, kind, ${kindOf(ends)}, step, country, cause, round(extract(epoch from now() - since) * 1000)::float8
      from gone
  )
  insert into run_events (run, kind, detail)
  select o.run, o.kind, jsonb_strip_nulls(jsonb_build_object('country', o.country,
    'step', case when o.trouble <> 'feed' then o.step end, 'action', case when o.trouble <> 'feed' then c.action end,
    'cause', o.cause, 'forMs', o."forMs"))
  from events o
  join runs r on r.id = o.run and r.ended_at is null
  cross join lateral (
    select definition -> 'chain' -> (o.step - 1) ->> 'action' as action from revisions
      where campaign = r.campaign and revision = r.revision
  ) c
  where not (o.kind = 'breaker-closed'
      and exists (select from shard_breakers g where g.action_type = c.action and g.country = o.country
        and g.state = 'open'))
    and not (o.kind = 'worker-back'
      and exists (select from unserved u where u.action_type = c.action and u.country = o.country))
    and (select count(*) from run_events e where e.run = o.run and e.kind = any($1::text[])) < ${maxTroubleEvents}
  returning run as "runId", kind`;
