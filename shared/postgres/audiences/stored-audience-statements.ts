import { firstChildBatchNo } from '../../domain/step/batch.ts';
import { batchTree, type BatchRange } from '../ledger/batch-tree.ts';
import { restCode, stepState } from '../ledger/ledger-codes.ts';
import { statementOf } from '../connection/statement.ts';

export const list = statementOf<{ listId: string; country: string }>(
  'stored-list',
  ($) => `
  select name, coalesce((users ->> ${$('country')})::float8, 0) as users from audiences
    where id = ${$('listId')} and state = 'ready'`,
);

/**
 * Selects the part that contains the first user after the floor. Returns one row without users at the end of the list,
 * and no row if the list was deleted.
 */
export const listPart = statementOf<{ listId: string; country: string; floor: string }>(
  'stored-list-part',
  ($) => `
  select p.users from audiences a left join lateral (
    select users from audience_parts
    where audience = a.id and country = ${$('country')} and last_user > ${$('floor')}
    order by last_user limit 1
  ) p on true
  where a.id = ${$('listId')} and a.state = 'ready'`,
);

export const run = statementOf<{ runId: string; country: string }>(
  'earlier-run',
  ($) => `
  select r.state, jsonb_array_length(c.definition -> 'chain') as steps, r.failures_kept as "keepsFailures",
    coalesce(f.feeds, '{}') as "feedIds", coalesce(f.kept, true) as "keepsUsers"
  from runs r
  join revisions c on c.campaign = r.campaign and c.revision = r.revision
  left join lateral (
    select array_agg(feed order by feed) as feeds,
      bool_and(next_batch_no = 1 or exists (select from batches b where b.feed = feeds.feed and b.batch_no = 1)) as kept
    from feeds where run = r.id and country = ${$('country')}
  ) f on true
  where r.id = ${$('runId')} and r.kind = 'live'`,
);

export const counts = statementOf<{ runId: string; country: string }>(
  'earlier-counts',
  ($) => `
  select f.fed_users::float8 as "fedUsers", f.held_out_users::float8 as "heldOutUsers",
    coalesce(t.totals, '[]') as totals
  from feeds f left join lateral (
    select json_agg(k) as totals from (
      select step, sum(batches) as batches, sum(succeeded) as succeeded, sum(failed) as failed, sum(expired) as expired,
        sum(cancelled) as cancelled, sum(unknown) as unknown, sum(suppressed) as suppressed
      from run_totals where feed = f.feed group by step
    ) k
  ) t on true
  where f.run = ${$('runId')} and f.country = ${$('country')}`,
);

/** Finds a batch by binary search: fed batches are numbered without gaps in the order of their users. */
export const firstBatchAfter = statementOf<{ feedId: string; floor: string }>(
  'earlier-batch-behind',
  ($) => `
  with recursive search (low, high) as (
    select 1, next_batch_no from feeds where feed = ${$('feedId')}
    union all
    select case when b.last_user > ${$('floor')} then s.low else m.middle + 1 end,
      case when b.last_user > ${$('floor')} then m.middle else s.high end
    from search s
    cross join lateral (select (s.low + s.high) / 2 as middle) m
    join batches b on b.feed = ${$('feedId')} and b.batch_no = m.middle
    where s.low < s.high
  )
  select low as "batchNo" from search where low = high`,
);

export const fedBatches = statementOf<{ feedId: string }>(
  'earlier-fed-batches',
  ($) => `select next_batch_no - 1 as batches from feeds where feed = ${$('feedId')}`,
);

const columns = (table: string) =>
  `${table}.batch_no as "batchNo", ${table}.parent, ${table}.from_step as "fromStep", ${table}.users`;

export const batches = statementOf<BatchRange>(
  'earlier-batches',
  ($) => `
  select ${columns('b')} from batches b
  where feed = ${$('feedId')} and batch_no >= ${$('from')}
    and batch_no < least(${$('below')}::int, ${firstChildBatchNo})
  order by batch_no`,
);

/** Selects batches with all batches split from them. */
export const familiesOfBatches = statementOf<BatchRange>(
  'earlier-batch-tree',
  ($) => `
  with recursive ${batchTree($)}
  select ${columns('tree')} from tree order by batch_no`,
);

interface OfBatches {
  feedId: string;
  batchNos: readonly number[];
}

export const rests = statementOf<OfBatches>(
  'earlier-rests',
  ($) => `
  select batch_no as "batchNo", step,
    case rest when ${restCode.succeeded} then 'succeeded' when ${restCode.expired} then 'expired'
      else 'cancelled' end as rest
  from batch_steps
  where feed = ${$('feedId')} and batch_no = any(${$('batchNos')}::int[]) and state = ${stepState.done}
    and rest is not null`,
);

export const failures = statementOf<OfBatches>(
  'earlier-failures',
  ($) => `
  select step, user_id as "user", outcome from user_failures
  where feed = ${$('feedId')} and batch_no = any(${$('batchNos')}::int[])`,
);
