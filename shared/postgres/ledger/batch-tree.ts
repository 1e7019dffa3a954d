import { firstChildBatchNo } from '../../domain/step/batch.ts';

/** Fed batches of a feed, by number. */
export interface BatchRange {
  feedId: string;
  from: number;
  /** Exclusive. */
  below: number;
}

/** CTE `tree` for `with recursive`: these batches and all batches split from them, found by keys alone. */
export const batchTree = ($: (param: keyof BatchRange) => string) => `tree as (
    select batch_no, parent, from_step, users from batches
    where feed = ${$('feedId')} and batch_no >= ${$('from')}
      and batch_no < least(${$('below')}::int, ${firstChildBatchNo})
    union all
    select b.batch_no, b.parent, b.from_step, b.users
    from tree t join batches b on b.feed = ${$('feedId')} and b.parent = t.batch_no and b.parent is not null
  )`;
