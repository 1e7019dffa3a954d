import type { Pool } from 'pg';
import { dropWeeks, makeWeeks } from '../../../../shared/postgres/connection/partition-changes.ts';
import type { Retention } from '../../ports/retention-store.ts';
import { deleteUnusedList } from '../../../../shared/postgres/audiences/delete-audience.ts';
import { countReceipts } from './receipt-counts.ts';
import * as statements from './retention-statements.ts';

/** Number of weeks after the current one for which partitions are created. */
const weeksAhead = 3;

export function createRetentionStore({ pool }: { pool: Pool }): Retention {
  async function changed(text: string, ...values: unknown[]): Promise<number> {
    return (await pool.query(text, values)).rowCount ?? 0;
  }

  async function eachWeek(weeks: Weeks, texts: readonly string[]): Promise<void> {
    for (const { since, until } of weeks.values()) for (const text of texts) await pool.query(text, [since, until]);
  }

  return {
    makeAhead: async () => {
      const { made, heldUp } = await makeWeeks(pool, weeksAhead);
      return { weeks: new Set(made.map(({ ahead }) => ahead)).size, heldUp };
    },
    effectDays: async () => {
      const { rows } = await pool.query<{ days: number }>(statements.effectDays);
      return rows[0]?.days ?? 1;
    },
    dropWeeks: async (kind, days) => {
      const droppable = async () => (await pool.query<WeekPartition>(statements.droppableWeeks, [kind, days])).rows;
      const found = weeksOf(await droppable());
      await eachWeek(found, statements.marksBeforeDropping[kind]);
      // The weeks are checked again, because a settlement may have requested a new count before the mark.
      const rows = (await droppable()).filter(({ since }) => found.has(since));
      await eachWeek(weeksOf(rows), statements.beforeDropping[kind]);
      const { made, heldUp } = await dropWeeks(pool, rows);
      return { weeks: new Set(made.map(({ since }) => since)).size, heldUp };
    },
    closeReceipts: (days, limit) => changed(statements.closeReceipts, days, limit),
    countReceipts: (limit) => countReceipts(pool, limit),
    deleteStrays: async (kind, days, limit) => {
      let strays = 0;
      const { rows } = await pool.query<{ name: string }>(statements.tablesOf, [kind]);
      for (const { name } of rows) strays += await changed(statements.deleteStrays(name), days, limit - strays);
      return strays;
    },
    deleteRuns: async (days, limit) => {
      const { rows } = await pool.query<{ deleted: number }>(statements.deleteRuns, [days, limit]);
      return rows[0]?.deleted ?? 0;
    },
    deleteDryRows: async (days, limit) => {
      let gone = 0;
      for (const table of ['user_failures', 'batches', 'batch_steps'] as const) {
        if (gone < limit) gone += await changed(statements.deleteDryRows(table), days, limit - gone);
      }
      if (gone < limit) await pool.query(statements.forgetDryRuns, [days]);
      return gone;
    },
    deleteAnswers: (days, limit) => changed(statements.deleteAnswers, days, limit),
    deleteAudiences: async (days, limit) => {
      const { rows } = await pool.query<{ id: string }>(statements.oldAudiences, [days]);
      let gone = 0;
      for (const { id } of rows) {
        if (gone === limit) break;
        if ((await deleteUnusedList(pool, id, true)).kind === 'deleted') gone++;
      }
      return gone;
    },
    deleteReplacedPeople: async (limit) => {
      const gone = await changed(statements.deleteReplacedPeople, limit);
      if (gone < limit) await pool.query(statements.deleteReplacedNumbers);
      return gone;
    },
    deleteSuppressionUploads: (days, limit) => changed(statements.deleteSuppressionUploads, days, limit),
    failLostUploads: async () =>
      (await changed(statements.failLostUploads)) + (await changed(statements.failLostSuppressionUploads)),
    deleteDeadLetters: (days, limit) => changed(statements.deleteDeadLetters, days, limit),
    deleteChanges: (days, limit) => changed(statements.deleteChanges, days, limit),
    deleteSessions: async (limit) => {
      const gone = await changed(statements.deleteSessions, limit);
      return gone + (await changed(statements.deleteSessionLinks, limit - gone));
    },
  };
}

interface WeekPartition {
  name: string;
  since: string;
  until: string;
}

/** By begin of a week, one of its partitions. */
type Weeks = ReadonlyMap<string, WeekPartition>;

function weeksOf(rows: readonly WeekPartition[]): Weeks {
  return new Map(rows.map((row) => [row.since, row]));
}
