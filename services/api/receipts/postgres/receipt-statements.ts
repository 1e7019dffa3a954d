import { statementOf, unnamedStatementOf } from '../../../../shared/postgres/connection/statement.ts';

export interface RecordReceiptsParams {
  runs: string;
  countries: string;
  feeds: string;
  batchNos: string;
  steps: string;
  users: string;
  quotedUsers: string;
  delivered: string;
  codes: string;
  ats: string;
  actionTypes: string;
  slot: number;
}

/**
 * SQL condition: the text of batch `b` contains the user of row `k`. The user id `,` also matches the separator between
 * two users, so for this id the text is parsed as JSON.
 */
const holdsUser = `strpos(b.users, k.quoted) > 0 and (k.user_id <> ',' or jsonb_exists(('[' || b.users || ']')::jsonb, k.user_id))`;

/**
 * Records receipts. The arrays are parallel. An entry has either a run, or a feed and a batch; the others are null.
 * Batches ascend with user ids, so a binary search over the batch numbers of the feed finds the candidate batch, for
 * all receipts at once. The changed row keeps its previous state, so the returned difference to the totals is exact,
 * whatever the order and number of receipts. Rows are locked in the order of their keys, which prevents deadlocks
 * between processes. Returns one row for each receipt that was not accepted.
 */
export const recordReceipts = statementOf<RecordReceiptsParams>(
  'record-receipts',
  ($) => `
  with recursive k as materialized (
    select * from unnest(${$('runs')}::uuid[], ${$('countries')}::text[], ${$('feeds')}::uuid[],
      ${$('batchNos')}::int[], ${$('steps')}::int2[],
      ${$('users')}::text[], ${$('quotedUsers')}::text[], ${$('delivered')}::boolean[], ${$('codes')}::text[],
      ${$('ats')}::timestamptz[], ${$('actionTypes')}::text[]) with ordinality
      k (run, country, feed, batch_no, step, user_id, quoted, delivered, code, at, action_type, position)
  ), n as materialized (
    select d.run, d.feed as named, f.feed, f.country, f.from_step, f.next_batch_no - 1 as batches,
      v.definition -> 'chain' as chain,
      r.failures_kept and r.receipts_state = 'open' and (f.feed is null or f.next_batch_no = 1
        or exists (select from batches b where b.feed = f.feed and b.batch_no = 1)) as is_kept
    from (select distinct run, feed from k) d
    left join feeds e on e.feed = d.feed
    join runs r on r.id = coalesce(d.run, e.run)
    join revisions v on v.campaign = r.campaign and v.revision = r.revision
    left join feeds f on f.run = r.id and (d.feed is null or f.feed = d.feed)
  ), m as materialized (
    select k.*, n.feed as of_feed, n.batches
    from k join n on n.run is not distinct from k.run and n.named is not distinct from k.feed
    where n.is_kept and n.feed is not null and k.step >= n.from_step and k.step <= jsonb_array_length(n.chain)
      and (k.country is null or k.country = n.country)
      and (k.action_type is null or k.action_type = n.chain -> (k.step - 1) ->> 'action')
  ), halved as (
    select position, of_feed, user_id, quoted, 0 as low, batches as high from m where batch_no is null and batches > 0
    union all
    select h.position, h.of_feed, h.user_id, h.quoted, case when b.first_user <= h.user_id then h.middle else h.low end,
      case when b.first_user <= h.user_id then h.high else h.middle - 1 end
    from (select *, (low + high + 1) / 2 as middle from halved where low < high) h
    cross join lateral (select first_user from batches where feed = h.of_feed and batch_no = h.middle limit 1) b
  ), p as materialized (
    select k.position, k.of_feed as feed from halved k
    cross join lateral (
      select from batches b where b.feed = k.of_feed and b.batch_no = k.low and b.last_user >= k.user_id
        and ${holdsUser} limit 1
    ) b
    where k.low = k.high and k.low > 0
    union
    select k.position, k.of_feed from m k
    cross join lateral (select from batches b where b.feed = k.of_feed and b.batch_no = k.batch_no and ${holdsUser}
      limit 1) b
    where k.batch_no is not null
  ), u as (
    insert into receipts as r (feed, step, user_id, delivered, code, at)
    select distinct on (p.feed, k.step, k.user_id collate "C") p.feed, k.step, k.user_id, k.delivered, k.code, k.at
    from p join k using (position)
    order by p.feed, k.step, k.user_id collate "C", k.at desc, k.delivered desc
    on conflict (feed, step, user_id) do update set previously_delivered = r.delivered, delivered = excluded.delivered,
      code = excluded.code, at = excluded.at, received_at = now()
    where (excluded.at, excluded.delivered) > (r.at, r.delivered)
    returning feed, step, delivered, previously_delivered
  ), t as (
    insert into receipt_totals as t (feed, step, slot, delivered, undelivered)
    select * from (
      select feed, step, ${$('slot')}::int2,
        count(*) filter (where delivered) - count(*) filter (where previously_delivered) as delivered,
        count(*) filter (where not delivered) - count(*) filter (where not previously_delivered) as undelivered
      from u group by feed, step
    ) d
    where delivered <> 0 or undelivered <> 0
    order by feed, step
    on conflict (feed, step, slot) do update set delivered = t.delivered + excluded.delivered,
      undelivered = t.undelivered + excluded.undelivered
  )
  select k.position::int as position, case
      when n.run is null and n.named is null then 'unknown-run'
      when k.step > jsonb_array_length(n.chain) then 'unknown-step'
      when k.action_type <> n.chain -> (k.step - 1) ->> 'action' then 'other-action-type'
      when not n.all_kept then 'not-kept'
      else 'unknown-user'
    end as verdict
  from k
  left join lateral (
    select n.run, n.named, n.chain, bool_and(n.is_kept) over () as all_kept from n
    where n.run is not distinct from k.run and n.named is not distinct from k.feed limit 1
  ) n on true
  where not exists (select from p where p.position = k.position)`,
);

export interface ReceiptPageParams {
  runId: string;
  limit: number;
  /** Filters of receipts; null matches any value. */
  country: string | null;
  step: number | null;
  /** Position of the last receipt of the previous page, or null. */
  afterCountry: string | null;
  afterFeed: string | null;
  afterStep: number | null;
  afterUser: string | null;
}

/** Returns a statement that selects receipts. Feeds are read in order, each with a range of an index. */
const selectReceipts = (condition: string) =>
  unnamedStatementOf<ReceiptPageParams>(
    ($) => `
  select r.user_id as "user", r.step, f.country, r.delivered, r.code, r.at, r.received_at as "receivedAt",
    f.feed as "feedId"
  from (
    select country collate "C" as country, feed, feed = ${$('afterFeed')}::uuid as begun from feeds
    where run = ${$('runId')} and (${$('country')}::text is null or country = ${$('country')})
      and (${$('afterCountry')}::text is null
        or (country collate "C", feed) >= (${$('afterCountry')}, ${$('afterFeed')}::uuid))
    order by country collate "C", feed
  ) f, lateral (
    select * from receipts r
    where r.feed = f.feed
      and (r.step, r.user_id) > (
        case when f.begun then ${$('afterStep')}::int else 0 end, case when f.begun then ${$('afterUser')} else '' end)
      and (${$('step')}::int is null or r.step = ${$('step')}) ${condition}
    order by r.step, r.user_id limit ${$('limit')}
  ) r
  order by f.country, f.feed, r.step, r.user_id limit ${$('limit')}`,
  );

/** Statements by delivery status, because each status has its own index. */
export const receiptPages = {
  all: selectReceipts(''),
  delivered: selectReceipts('and r.delivered'),
  undelivered: selectReceipts('and not r.delivered'),
};
