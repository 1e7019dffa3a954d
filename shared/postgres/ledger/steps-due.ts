import type { PoolClient } from 'pg';
import type { FeedStep } from '../../ports/step-holds.ts';
import { plainArray } from '../connection/array-literals.ts';
import { statementOf } from '../connection/statement.ts';
import { stepState } from './ledger-codes.ts';

/**
 * All that waits in these steps is due. Their holds have to be deleted before, in the same transaction: a flush that
 * puts back for a hold locks it, so the delete waits for what it writes, and this statement sees that.
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

/** Both arrays of a statement that takes steps of feeds. */
export function feedStepPairs(steps: readonly FeedStep[]) {
  return {
    feeds: plainArray(steps.map(({ feedId }) => feedId)),
    steps: plainArray(steps.map(({ step }) => step)),
  };
}
