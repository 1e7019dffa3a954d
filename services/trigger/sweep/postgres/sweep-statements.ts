import { quarantinedAfterLapses, restCode, stepState } from '../../../../shared/postgres/ledger/ledger-codes.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';

/** Statements of the sweep. They read the agenda and the batches above a feed's mark, but never the whole run. */

/** SQL for the time until the next offer: 10 s, then 20 s, up to 10 min. */
const offeredAgainIn = (offers: string) => `least(600, 10 * 2 ^ least(${offers}, 10)) * interval '1 second'`;

/** Condition that a worker has claimed the step after the last offer. The number of offers then begins at 0 again. */
const isClaimedSince = `s.state = ${stepState.running} and s.lease_until > d.offer_at - ${offeredAgainIn('(d.offers - 1)')}`;

export interface DueParams {
  feeds: string;
  chainLengths: string;
  limit: number;
  busyFeeds: string;
  busySteps: string;
}

/**
 * Returns a row for each reference to publish and for each quarantined step, and a row without a step for each feed
 * that reached the limit.
 */
export const due = statementOf<DueParams>(
  'sweep-due',
  ($) => `
  with d as (
    select a.feed, a.batch_no, a.step, a.offers, a.offer_at, k.chain_length
    from unnest(${$('feeds')}::uuid[], ${$('chainLengths')}::int[]) k (feed, chain_length)
    cross join lateral (
      select * from agenda where feed = k.feed and offer_at <= now() order by offer_at limit ${$('limit')}
    ) a
  ), h as (
    select feed, step, max(next_try_at) as next_try_at from holds
    where feed = any(${$('feeds')}::uuid[]) and (kind = 'fault' or until > now())
    group by feed, step
  ), s as (
    select d.feed, d.batch_no, d.step, t.offers, d.chain_length, s.lease_until, s.next_attempt_at, h.next_try_at,
      s.rest = ${restCode.succeeded} and s.rest_users > 0 and d.step < d.chain_length as goes_on,
      case
        when s.state = ${stepState.done} then 'done'
        when s.state = ${stepState.running} and s.lease_until >= now() then 'running'
        when s.state = ${stepState.running} and s.lapses >= ${quarantinedAfterLapses} then 'quarantined'
        when s.state = ${stepState.waiting} and s.next_attempt_at > now() then 'waiting'
        when h.feed is not null then 'held'
        when t.offers > 0 and exists (
          select from unnest(${$('busyFeeds')}::uuid[], ${$('busySteps')}::int2[]) b (feed, step)
            where b.feed = d.feed and b.step = d.step
        ) then 'busy'
        else 'lost'
      end as place
    from d
    left join batch_steps s on s.feed = d.feed and s.batch_no = d.batch_no and s.step = d.step
    left join h on h.feed = d.feed and h.step = d.step
    cross join lateral (select case when ${isClaimedSince} then 0 else d.offers end as offers) t
  ), p as (
    select s.*, place = 'lost' or place = 'held' and next_try_at <= now()
      and batch_no = min(batch_no) filter (where place = 'held') over (partition by feed, step) as offered
    from s
  ), gone as (
    delete from agenda a using p where a.feed = p.feed and a.batch_no = p.batch_no and a.step = p.step
      and p.place = 'done'
  ), following as (
    insert into agenda (feed, batch_no, step, offer_at)
    select feed, batch_no, step + 1, now() + interval '10 seconds' from p where place = 'done' and goes_on
    order by feed, batch_no, step
    on conflict (feed, batch_no, step) do nothing
  ), moved as (
    update agenda a set offers = least(p.offers + p.offered::int, 30), offer_at = case
        when p.offered then now() + ${offeredAgainIn('p.offers')}
        when p.place = 'running' then p.lease_until
        when p.place = 'waiting' then p.next_attempt_at
        when p.place = 'held' then greatest(p.next_try_at, now() + interval '5 seconds')
        else now() + interval '10 seconds'
      end
    from p where a.feed = p.feed and a.batch_no = p.batch_no and a.step = p.step and p.place <> 'done'
  )
  select p.feed as "feedId", p.batch_no as "batchNo", p.step, p.place = 'quarantined' as quarantined, b.n
  from p cross join lateral (select n from batches where feed = p.feed and batch_no = p.batch_no limit 1) b
  where p.offered or p.place = 'quarantined'
  union all
  select feed, null, null, null, null from d group by feed having count(*) = ${$('limit')}
  order by "feedId", step, "batchNo"`,
);

/** Returns, by feed, the milliseconds until its first agenda entry is due. Uses one look-up in an index per feed. */
export const nextDue = statementOf<{ feeds: string; withinMs: number | null }>(
  'sweep-next-due',
  ($) => `
  select k.feed as "feedId", (extract(epoch from a.offer_at - now()) * 1000)::float8 as "inMs"
  from unnest(${$('feeds')}::uuid[]) k (feed)
  cross join lateral (
    select offer_at from agenda where feed = k.feed
      and offer_at <= coalesce(now() + ${$('withinMs')}::float8 * interval '1 millisecond', 'infinity')
    order by offer_at limit 1
  ) a`,
);

export const revertOffers = statementOf<{ feeds: string; batchNos: string; steps: string }>(
  'sweep-take-back',
  ($) => `
  update agenda a set offers = greatest(a.offers - 1, 0), offer_at = now() + interval '5 seconds'
  from unnest(${$('feeds')}::uuid[], ${$('batchNos')}::int[], ${$('steps')}::int2[]) k (feed, batch_no, step)
  where a.feed = k.feed and a.batch_no = k.batch_no and a.step = k.step`,
);

export interface ExamineParams {
  feed: string;
  chainLength: number;
  from: number;
  limit: number;
  unrecorded: string;
}

/**
 * Scans a window of batches. The furthest step of a batch is its position in the chain. The mark of a feed is stored
 * with its last step: every batch below the mark is through the chain or on the agenda. The mark moves only if the
 * window begins at the mark.
 */
export const examine = statementOf<ExamineParams>(
  'sweep-look',
  ($) => `
  with f as (
    select f.feed, f.next_batch_no, f.from_step, coalesce(m.below, 1) as below,
      greatest(coalesce(m.below, 1), ${$('from')}::int) as low
    from feeds f left join sweep_marks m on m.feed = f.feed and m.step = ${$('chainLength')}::int2
    where f.feed = ${$('feed')}
  ), w as (
    select f.feed, f.from_step, k.batch_no
      from f, generate_series(f.low, least(f.next_batch_no, f.low + ${$('limit')}::int) - 1) k (batch_no)
  ), s as (
    select distinct on (s.batch_no) s.batch_no, s.step, s.state, s.lease_until, s.next_attempt_at,
      s.rest = ${restCode.succeeded} and s.rest_users > 0 and s.step < ${$('chainLength')}::int as goes_on
    from f join batch_steps s on s.feed = f.feed and s.batch_no >= f.low
      and s.batch_no < least(f.next_batch_no, f.low + ${$('limit')}::int)
    order by s.batch_no, s.step desc
  ), p as (
    select w.feed, w.batch_no, s.next_attempt_at,
      case when s.step is null then w.from_step when s.state = ${stepState.done} then s.step + 1
        else s.step end as step,
      case
        when s.step is null or s.state = ${stepState.done} and s.goes_on then 'unrecorded'
        when s.state = ${stepState.done} then 'through'
        when s.state = ${stepState.waiting} then 'waiting'
        when s.lease_until < now() then 'lapsed'
        else 'running'
      end as place,
      exists (select from agenda a where a.feed = w.feed and a.batch_no = w.batch_no) as listed
    from w left join s on s.batch_no = w.batch_no
  ), added as (
    insert into agenda (feed, batch_no, step, offer_at)
    select feed, batch_no, step, case when place = 'waiting' then next_attempt_at else now() end from p
    where not listed
      and (place in ('lapsed', 'waiting') or place = 'unrecorded' and step = any(${$('unrecorded')}::int[]))
    order by feed, batch_no, step
    on conflict (feed, batch_no, step) do nothing
    returning batch_no
  ), seen as (
    select max(p.batch_no) + 1 as "end", count(*) filter (where p.place = 'running') as running,
      min(p.batch_no) filter (where p.place <> 'through' and not p.listed and added.batch_no is null) as first_open
    from p left join added on added.batch_no = p.batch_no
  ), moved as (
    insert into sweep_marks as m (feed, step, below)
    select f.feed, ${$('chainLength')}::int2, coalesce(seen.first_open, seen."end") from f, seen
    where f.low = f.below and coalesce(seen.first_open, seen."end") > f.below
    on conflict (feed, step) do update set below = greatest(m.below, excluded.below)
  )
  select seen.running::int as running, case when seen."end" < f.next_batch_no then seen."end" end as next from f, seen`,
);
