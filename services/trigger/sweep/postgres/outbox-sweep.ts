import type { Pool } from 'pg';
import type { StepRef } from '../../../../shared/ports/step-ledger.ts';
import { plainArray } from '../../../../shared/postgres/connection/array-literals.ts';
import { lostBefore } from '../../../../shared/postgres/ledger/step-writes.ts';
import { retryingDeadlocks } from '../../../../shared/postgres/connection/transaction.ts';
import type { OutboxSweep, ExaminedWindow } from '../../ports/outbox-sweep.ts';
import * as statements from './sweep-statements.ts';

interface DueStep extends StepRef {
  quarantined: boolean;
  n: number;
}
type DueRow = DueStep | { feedId: string; batchNo: null; step: null; quarantined: null; n: null };

export function createOutboxSweep({ pool }: { pool: Pool }): OutboxSweep {
  return {
    due: async (feeds, limit, busy) => {
      const params = {
        feeds: plainArray(feeds.map(({ feedId }) => feedId)),
        chainLengths: plainArray(feeds.map(({ chainLength }) => chainLength)),
        limit,
        busyFeeds: plainArray(busy.map(({ feedId }) => feedId)),
        busySteps: plainArray(busy.map(({ step }) => step)),
      };
      // A worker's statement that schedules retries locks the same rows in another order, so the two may deadlock.
      const { rows } = await retryingDeadlocks(() => pool.query<DueRow>(statements.due.with(params)));
      const steps = rows.filter((row): row is DueStep => row.step !== null);
      const more = rows.flatMap(({ feedId, step }) => (step === null ? [feedId] : []));
      const quarantined = steps.filter((row) => row.quarantined).map(refOf);
      const offered = steps.filter((row) => !row.quarantined);
      // The lost users may be read in a second statement: they were lost in steps that are done, and rows of such steps
      // never change.
      const lost = offered.length === 0 ? [] : await lostBefore(pool, offered);
      const offers = offered.map((row, index) => {
        const lostUsers = lost[index] ?? [];
        return { ...refOf(row), lost: lostUsers, remaining: row.n - lostUsers.length };
      });
      return { offers, quarantined, more };
    },
    nextDue: async (feedIds, withinMs) => {
      if (feedIds.length === 0) return new Map();
      const query = statements.nextDue.with({ feeds: plainArray(feedIds), withinMs: withinMs ?? null });
      const { rows } = await pool.query<{ feedId: string; inMs: number }>(query);
      return new Map(rows.map(({ feedId, inMs }) => [feedId, inMs]));
    },
    revertOffers: async (refs) => {
      const keys = {
        feeds: plainArray(refs.map(({ feedId }) => feedId)),
        batchNos: plainArray(refs.map(({ batchNo }) => batchNo)),
        steps: plainArray(refs.map(({ step }) => step)),
      };
      await retryingDeadlocks(() => pool.query(statements.revertOffers.with(keys)));
    },
    examine: async ({ feedId, chainLength }, { from, limit, unrecorded }) => {
      const params = { feed: feedId, chainLength, from, limit, unrecorded: plainArray(unrecorded) };
      const { rows } = await retryingDeadlocks(() => pool.query<ExaminedWindow>(statements.examine.with(params)));
      return rows.at(0) ?? { running: 0, next: null };
    },
  };
}

function refOf({ feedId, batchNo, step }: StepRef): StepRef {
  return { feedId, batchNo, step };
}
