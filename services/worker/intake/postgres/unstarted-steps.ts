import type { Pool } from 'pg';
import { plainArray } from '../../../../shared/postgres/connection/array-literals.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import { restCode, stepState } from '../../../../shared/postgres/ledger/ledger-codes.ts';
import type { UnstartedInFeed, UnstartedSteps } from '../unstarted-steps.port.ts';

/** Number of batches that one query searches, which takes some milliseconds. */
const windowBatches = 2000;

interface FindParams {
  feeds: string;
  chainLengths: string;
  froms: string;
  stepsPerFeed: number;
}

/**
 * Finds unstarted steps, which no worker has claimed. A batch's position is its furthest step, or 0 if it has none. The
 * query reads the rows as one range of the primary key, and sorts them together with the batch numbers. A join would
 * compare each row with each number, because the planner expects few rows.
 */
export const findUnstarted = statementOf<FindParams>(
  'find-unstarted-steps',
  ($) => `
  select k.feed as "feedId", w.steps, case when l.behind < f.next_batch_no then l.behind end as next
  from unnest(${$('feeds')}::uuid[], ${$('chainLengths')}::int[], ${$('froms')}::int[]) k (feed, chain_length, from_no)
  cross join lateral (select run, next_batch_no, from_step from feeds where feed = k.feed limit 1) f
  cross join lateral (select from runs where id = f.run and state = 'running' and deadline_at > now() limit 1) r
  left join lateral (
    select below from sweep_marks where feed = k.feed and step = k.chain_length limit 1
  ) m on true
  cross join lateral (
    select greatest(coalesce(m.below, 1), k.from_no) as low,
      least(f.next_batch_no, greatest(coalesce(m.below, 1), k.from_no) + ${windowBatches}) as behind
  ) l
  cross join lateral (
    select coalesce(json_agg(json_build_object('feedId', k.feed, 'batchNo', u.batch_no, 'step', u.step,
      'remaining', coalesce(u.survivors, b.n), 'isFirst', u.step = f.from_step) order by u.batch_no), '[]') as steps
    from (
      select x.batch_no, case when x.step = 0 then f.from_step else x.step + 1 end as step, x.survivors
      from (
        select distinct on (y.batch_no) y.* from (
          select g.batch_no, 0 as step, null::int2 as survivors, true as goes_on
          from generate_series(l.low, l.behind - 1) g (batch_no)
          union all
          select s.batch_no, s.step, s.rest_users, s.state = ${stepState.done}
            and s.rest = ${restCode.succeeded} and s.rest_users > 0 and s.step < k.chain_length
          from batch_steps s where s.feed = k.feed and s.batch_no >= l.low and s.batch_no < l.behind
        ) y
        order by y.batch_no, y.step desc
      ) x
      where x.goes_on
        and not exists (select from agenda a where a.feed = k.feed and a.batch_no = x.batch_no offset 0)
      order by x.batch_no
      limit ${$('stepsPerFeed')}::int
    ) u
    cross join lateral (select n from batches where feed = k.feed and batch_no = u.batch_no limit 1) b
  ) w`,
);

export function createUnstartedSteps({ pool }: { pool: Pool }): UnstartedSteps {
  return {
    find: async (windows, stepsPerFeed) => {
      const params = {
        feeds: plainArray(windows.map(({ feedId }) => feedId)),
        chainLengths: plainArray(windows.map(({ chainLength }) => chainLength)),
        froms: plainArray(windows.map(({ from }) => from)),
        stepsPerFeed,
      };
      return (await pool.query<UnstartedInFeed>(findUnstarted.with(params))).rows;
    },
  };
}
