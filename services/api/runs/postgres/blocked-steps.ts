import {
  reportedShards,
  isUnserved,
  takenUpWithin,
  unservedCause,
  unservedSince,
} from '../../../../shared/postgres/registry/shard-refusals.ts';

/**
 * SQL of common table expressions that find steps whose batches are blocked: no worker serves the shard, or its circuit
 * breaker is open. They require the table `totals` of the runs $1. The last of them is `blocked`. The workers' reports
 * are read once for all runs.
 */
export const blockedSteps = `
  reported as materialized (${reportedShards}
  ), here as (
    select r.id as run, r.started_at, f.country, s.place::int2 as step, s.entry ->> 'action' as action,
      sum(case when s.place = f.from_step then f.next_batch_no - 1 else coalesce(b.survived, 0) end
        + coalesce(t.created, 0) - coalesce(t.done, 0))::int as batches
    from runs r
    join feeds f on f.run = r.id and not f.dry
    join revisions c on c.campaign = r.campaign and c.revision = r.revision
    cross join lateral jsonb_array_elements(c.definition -> 'chain') with ordinality s (entry, place)
    left join totals t on t.feed = f.feed and t.step = s.place
    left join totals b on b.feed = f.feed and b.step = s.place - 1
    where r.id = any($1::uuid[]) and r.state = 'running' and s.place >= f.from_step
    group by r.id, f.country, s.place, s.entry ->> 'action'
  ), blocked as (
    select k.run, k.country, k.step, k.batches,
      case when u.is_unserved then 'no-worker' else 'breaker' end as blocked_by,
      case when u.is_unserved then ${unservedCause('h')}
        when starts_with(g.cause, u.place) then substr(g.cause, length(u.place) + 1)
        else g.cause end as cause,
      case when u.is_unserved then ${unservedSince('h', 'k')} else g.opened_at end as since,
      case when not u.is_unserved then g.retry_at end as next_try_at
    from here k
    left join reported h on h.action_type = k.action and h.country = k.country
    left join shard_breakers g on g.action_type = k.action and g.country = k.country and g.state = 'open'
    cross join lateral (
      select ${isUnserved('h')} and k.started_at <= now() - ${takenUpWithin}
          as is_unserved,
        -- Beginning of a breaker's cause. It is cut off, because causes of waiting batches do not have it.
        k.action || ' in ' || k.country || ': ' as place
    ) u
    where k.batches > 0 and (u.is_unserved or g.state = 'open')
  )`;
