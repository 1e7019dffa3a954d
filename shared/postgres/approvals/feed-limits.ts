import { unnamedStatementOf } from '../connection/statement.ts';

interface FeedLimits {
  runId: string;
  /** JSON object of the limits by country; a country without a number has no limit. */
  usersAtMost: unknown;
  /** Feed that needs room for more users at once, and their number; null: none. */
  feedId: string | null;
  more: number;
}

/**
 * Sets the limits of users of a run's feeds. The feeds of one country, one for each variant, divide the limit of the
 * country: the limits add up to it. The room beyond the fed users first goes to the feed that needs it. The other
 * incomplete feeds divide the rest by their parts of the users. In a retry run, the limit applies to each feed.
 */
export const setFeedLimits = unnamedStatementOf<FeedLimits>(
  ($) => `
  with k as (
    select f.feed, f.country, f.fed_users, f.feed is not distinct from ${$('feedId')}::uuid as asks,
      (${$('usersAtMost')}::jsonb ->> f.country)::bigint as most, r.parent is not null as is_retry,
      case when f.feed = ${$('feedId')}::uuid then ${$('more')}::bigint else 0 end as needed,
      case when f.complete or f.feed = ${$('feedId')}::uuid then 0 else coalesce(
        (f.audience -> 'split' ->> 'to')::int - (f.audience -> 'split' ->> 'from')::int, 1) end as weight
    from feeds f
    join runs r on r.id = f.run
    where f.run = ${$('runId')}
  ), p as (
    select k.*, greatest(0, most - sum(fed_users + needed) over (partition by country)) as room,
      sum(weight) over (partition by country) as whole,
      sum(weight) over (partition by country order by feed) as upto
    from k
  )
  update feeds f set max_users = case
    when p.is_retry or p.most is null then p.most
    when p.whole = 0 then p.fed_users + p.needed + case when p.asks then p.room else 0 end
    else p.fed_users + p.needed + round(p.room * p.upto / p.whole) - round(p.room * (p.upto - p.weight) / p.whole) end
  from p where f.feed = p.feed`,
);
