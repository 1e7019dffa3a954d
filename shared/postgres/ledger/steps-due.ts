import type { PoolClient } from 'pg';
import type { FeedStep } from '../../ports/step-holds.ts';
import { plainArray } from '../connection/array-literals.ts';
import { statementOf } from '../connection/statement.ts';
import { stepState } from './ledger-codes.ts';

/**
 * Makes all batches that wait in these steps due. The caller deletes the steps' holds first, in the same transaction. A
 * flush that releases batches for a hold locks it: the delete waits for that flush, and this statement sees its rows.
 */
export async function makeDue(client: PoolClient, held: readonly FeedStep[]): Promise<void> {
  if (held.length === 0) return;
  await client.query(makeStepsDue.with(feedStepPairs(held)));
}

const makeStepsDue = statementOf<{ feeds: string; steps: string }>(
  'make-steps-due',
  ($) => `
  with a as (
    update agenda a set offer_at = now(), offers = 0
    from unnest(${$('feeds')}::uuid[], ${$('steps')}::int2[]) h (feed, step)
    where a.feed = h.feed and a.step = h.step
    returning a.feed, a.batch_no, a.step
  )
  update batch_steps s set next_attempt_at = now() from a
  where s.feed = a.feed and s.batch_no = a.batch_no and s.step = a.step and s.state = ${stepState.waiting}
    and s.next_attempt_at > now()`,
);

export function feedStepPairs(steps: readonly FeedStep[]) {
  return {
    feeds: plainArray(steps.map(({ feedId }) => feedId)),
    steps: plainArray(steps.map(({ step }) => step)),
  };
}
