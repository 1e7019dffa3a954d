import { stepState } from './ledger-codes.ts';
import { statementOf } from '../connection/statement.ts';
import { flowAdded } from './totals-sql.ts';

export const takeChildNumbers = statementOf<{ feed: string; count: number }>(
  'take-child-numbers',
  ($) => `
  update feeds set next_child_no = next_child_no + ${$('count')}::int where feed = ${$('feed')}
  returning next_child_no - ${$('count')}::int as first`,
);

export interface InsertChildrenParams {
  feeds: string;
  batchNos: string;
  parents: string;
  steps: string;
  sizes: string;
  firstUsers: string;
  lastUsers: string;
  users: string;
  delaysMs: string;
  gracesMs: string;
  attempts: string;
  open: string;
  claimed: string;
  owner: string;
  leaseMs: number;
  slot: number;
}

/**
 * Inserts child batches and their step rows. Most start waiting, with epoch 0: no worker has claimed them. Others start
 * running; the agenda lists them too, in case their worker dies, because the claim window covers fed batches only.
 */
export const insertChildren = statementOf<InsertChildrenParams>(
  'insert-children',
  ($) => `
  with k as (
    select feed, batch_no, parent, step, n, first_user, last_user, users, attempts, open, claimed, grace_ms,
      case when not claimed then now() + delay_ms * interval '1 millisecond' end as next_attempt_at,
      case when claimed then now() + ${$('leaseMs')}::float8 * interval '1 millisecond' end as lease_until
    from unnest(${$('feeds')}::uuid[], ${$('batchNos')}::int[], ${$('parents')}::int[], ${$('steps')}::int2[],
      ${$('sizes')}::int2[],
      ${$('firstUsers')}::text[], ${$('lastUsers')}::text[], ${$('users')}::text[], ${$('delaysMs')}::float8[],
      ${$('gracesMs')}::float8[], ${$('attempts')}::int2[], ${$('open')}::boolean[], ${$('claimed')}::boolean[])
      k (feed, batch_no, parent, step, n, first_user, last_user, users, delay_ms, grace_ms, attempts, open, claimed)
  ), b as (
    insert into batches (feed, batch_no, n, parent, from_step, first_user, last_user, users)
    select feed, batch_no, n, parent, step, first_user, last_user, users from k
  ), s as (
    insert into batch_steps (feed, batch_no, step, state, epoch, attempts, open, owner, lease_until, next_attempt_at)
    select feed, batch_no, step, case when claimed then ${stepState.running} else ${stepState.waiting} end,
      claimed::int, attempts, open, case when claimed then ${$('owner')} end, lease_until, next_attempt_at
    from k
  ), a as (
    insert into agenda (feed, batch_no, step, offer_at) select feed, batch_no, step,
      coalesce(next_attempt_at + grace_ms * interval '1 millisecond', lease_until) from k
  )
  ${flowAdded($('slot'), { created: 'count(*)', waiting: 'count(*) filter (where not claimed)' }, 'k')}`,
);
