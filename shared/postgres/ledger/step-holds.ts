import type { Pool } from 'pg';
import { tryHeldEveryMs } from '../../domain/step/holds.ts';
import type { StepHolds } from '../../ports/step-holds.ts';
import { plainArray, textArray } from '../connection/array-literals.ts';
import { stepState } from './ledger-codes.ts';
import { statementOf } from '../connection/statement.ts';
import { retryingDeadlocks } from '../connection/transaction.ts';

export function createStepHolds({ pool }: { pool: Pool }): StepHolds {
  return {
    hold: async (held) => {
      if (held.length === 0) return;
      await pool.query(
        holdSteps.with({
          feeds: plainArray(held.map(({ feedId }) => feedId)),
          steps: plainArray(held.map(({ step }) => step)),
          causes: textArray(held.map(({ cause }) => cause)),
          endsInMs: plainArray(held.map(({ endsInMs }) => endsInMs ?? 'null')),
        }),
      );
    },
    mayTry: async ({ feedId, step }, everyMs) => {
      const { rowCount } = await pool.query(tryHeldStep.with({ feed: feedId, step, everyMs }));
      return rowCount === 1;
    },
    lift: async ({ feedId, step }) => {
      // A flush that puts back in this step locks the same rows the other way round.
      await retryingDeadlocks(() => pool.query(liftHold.with({ feed: feedId, step })));
    },
  };
}

export const holdSteps = statementOf<{ feeds: string; steps: string; causes: string; endsInMs: string }>(
  'hold-steps',
  ($) => `
  insert into holds as h (feed, step, cause, batches, next_try_at, until)
  select feed, step, (array_agg(cause order by place desc))[1], count(*),
    now() + coalesce(max(ends_in_ms), ${tryHeldEveryMs}) * interval '1 millisecond',
    now() + max(ends_in_ms) * interval '1 millisecond'
  from unnest(${$('feeds')}::uuid[], ${$('steps')}::int2[], ${$('causes')}::text[], ${$('endsInMs')}::float8[])
    with ordinality k (feed, step, cause, ends_in_ms, place)
  group by feed, step order by feed, step
  on conflict (feed, step) do update set cause = excluded.cause, batches = h.batches + excluded.batches,
    until = excluded.until,
    next_try_at = case when excluded.until is null and h.until is null then h.next_try_at
      else excluded.next_try_at end`,
);

export const tryHeldStep = statementOf<{ feed: string; step: number; everyMs: number }>(
  'try-held-step',
  ($) => `
  update holds set next_try_at = now() + ${$('everyMs')}::float8 * interval '1 millisecond'
  where feed = ${$('feed')} and step = ${$('step')} and next_try_at <= now()`,
);

/** What waits in a step stands on the agenda: no other row of the feed is read. */
export const liftHold = statementOf<{ feed: string; step: number }>(
  'lift-hold',
  ($) => `
  with h as (
    delete from holds where feed = ${$('feed')} and step = ${$('step')} returning feed, step
  ), a as (
    update agenda a set offer_at = now(), offers = 0 from h where a.feed = h.feed and a.step = h.step
      returning a.feed, a.batch_no, a.step
  )
  update batch_steps s set next_attempt_at = now() from a
  where s.feed = a.feed and s.batch_no = a.batch_no and s.step = a.step and s.state = ${stepState.waiting}
    and s.next_attempt_at > now()`,
);
