import type { Pool, PoolClient } from 'pg';
import { tryHeldEveryMs } from '../../domain/step/holds.ts';
import type { FeedStep, StepHolds } from '../../ports/step-holds.ts';
import { plainArray, textArray } from '../connection/array-literals.ts';
import { feedStepPairs, makeDue } from './steps-due.ts';
import { statementOf } from '../connection/statement.ts';
import { inTransaction, retryingDeadlocks } from '../connection/transaction.ts';

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
    lift: (step) =>
      // A flush that puts back in this step locks the same rows the other way round.
      retryingDeadlocks(() =>
        inTransaction(pool, async (client) => {
          const { rowCount } = await client.query(dropHold.with({ feed: step.feedId, step: step.step }));
          if (rowCount === 1) await makeDue(client, [step]);
        }),
      ),
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
const dropHold = statementOf<{ feed: string; step: number }>(
  'drop-hold',
  ($) => `delete from holds where feed = ${$('feed')} and step = ${$('step')}`,
);

/** Of these steps, those that are held until a time; their holds cannot be lifted before the transaction ends. */
export async function keepHolds(connection: Pool | PoolClient, steps: readonly FeedStep[]): Promise<Set<string>> {
  const { rows } = await connection.query<FeedStep>(lockHolds.with(feedStepPairs(steps)));
  return new Set(rows.map(holdKey));
}

export function holdKey({ feedId, step }: FeedStep): string {
  return `${feedId}/${step}`;
}

const lockHolds = statementOf<{ feeds: string; steps: string }>(
  'lock-holds',
  ($) => `
  select h.feed as "feedId", h.step from holds h
  where (h.feed, h.step) in (select * from unnest(${$('feeds')}::uuid[], ${$('steps')}::int2[])) and h.until is not null
  order by h.feed, h.step for key share`,
);
