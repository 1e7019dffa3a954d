import type { Pool, PoolClient } from 'pg';
import { tryHeldEveryMs, type HoldKind } from '../../domain/step/holds.ts';
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
          kinds: textArray(held.map(({ kind }) => kind)),
          causes: textArray(held.map(({ cause }) => cause)),
          endsInMs: plainArray(held.map((hold) => (hold.kind === 'quiet-hours' ? hold.endsInMs : 'null'))),
        }),
      );
    },
    mayTry: async ({ feedId, step }, everyMs) => {
      const { rowCount } = await pool.query(tryHeldStep.with({ feed: feedId, step, everyMs }));
      return rowCount === 1;
    },
    lift: ({ feedId, step }, kind) =>
      // A flush that releases batches of this step locks the same rows in the opposite order, so the two may deadlock.
      retryingDeadlocks(() =>
        inTransaction(pool, async (client) => {
          const { rowCount } = await client.query(dropHold.with({ feed: feedId, step, kind }));
          if (rowCount === 1) await makeDue(client, [{ feedId, step }]);
        }),
      ),
  };
}

export interface HoldStepsParams {
  feeds: string;
  steps: string;
  kinds: string;
  causes: string;
  endsInMs: string;
}

export const holdSteps = statementOf<HoldStepsParams>(
  'hold-steps',
  ($) => `
  insert into holds as h (feed, step, kind, cause, batches, next_try_at, until)
  select feed, step, kind, (array_agg(cause order by place desc))[1], count(*),
    now() + coalesce(max(ends_in_ms), ${tryHeldEveryMs}) * interval '1 millisecond',
    now() + max(ends_in_ms) * interval '1 millisecond'
  from unnest(${$('feeds')}::uuid[], ${$('steps')}::int2[], ${$('kinds')}::text[], ${$('causes')}::text[],
      ${$('endsInMs')}::float8[])
    with ordinality k (feed, step, kind, cause, ends_in_ms, place)
  group by feed, step, kind order by feed, step, kind
  on conflict (feed, step, kind) do update set cause = excluded.cause, until = excluded.until,
    since = case when h.until <= now() then excluded.since else h.since end,
    batches = case when h.until <= now() then 0 else h.batches end + excluded.batches,
    next_try_at = case when excluded.until is null then h.next_try_at else excluded.next_try_at end`,
);

export const tryHeldStep = statementOf<{ feed: string; step: number; everyMs: number }>(
  'try-held-step',
  ($) => `
  update holds set next_try_at = now() + ${$('everyMs')}::float8 * interval '1 millisecond'
  where feed = ${$('feed')} and step = ${$('step')} and kind = 'fault' and next_try_at <= now()`,
);

/** Deletes a hold. The batches that wait in its step are found by the agenda, so no other row of the feed is read. */
const dropHold = statementOf<{ feed: string; step: number; kind: HoldKind }>(
  'drop-hold',
  ($) => `delete from holds where feed = ${$('feed')} and step = ${$('step')} and kind = ${$('kind')}`,
);

/** Returns the steps that quiet hours hold now. Their holds cannot be lifted before the transaction ends. */
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
  where (h.feed, h.step) in (select * from unnest(${$('feeds')}::uuid[], ${$('steps')}::int2[]))
    and h.kind = 'quiet-hours' and h.until > now()
  order by h.feed, h.step for key share`,
);
