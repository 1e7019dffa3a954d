import pg, { type Pool, type PoolClient } from 'pg';
import { onlyRow } from '../../../../shared/postgres/connection/rows.ts';
import { inTransaction } from '../../../../shared/postgres/connection/transaction.ts';
import type { KeptKind, Retention, WeekChange } from '../retention-store.port.ts';
import { deleteUnusedList } from '../../../../shared/postgres/audiences/delete-audience.ts';
import * as statements from './retention-statements.ts';

/**
 * A week is made and dropped under locks that let no statement read or write its tables: behind a reader who has them,
 * a dump of an hour say, every worker would queue with it. This is the longest that one waits for such a lock.
 */
const lockTimeoutMs = 50;
/** The present week and those after it. */
const weeksToMake = [0, 1, 2, 3];

export function createRetentionStore({ pool }: { pool: Pool }): Retention {
  async function deleted(text: string, ...values: unknown[]): Promise<number> {
    return (await pool.query(text, values)).rowCount ?? 0;
  }

  return {
    makeAhead: () => weekByWeek(pool, weeksToMake, makeWeek),
    dropWeeks: async (kind, days) => {
      const table = statements.tableOf[kind];
      const { rows } = await pool.query<Week>(statements.droppableWeeks, [table, days]);
      return weekByWeek(pool, rows, (client, week) => dropWeek(client, week, kind));
    },
    deleteStrays: async (kind, days, limit) => {
      let strays = 0;
      for (const table of [statements.tableOf[kind], ...(await companionsOf(pool, kind))])
        strays += await deleted(statements.deleteStrays(table), days, limit - strays);
      return strays;
    },
    deleteRuns: async (days, limit) => {
      const { rows } = await pool.query<{ deleted: number }>(statements.deleteRuns, [days, limit]);
      return rows[0]?.deleted ?? 0;
    },
    deleteDryRows: async (days, limit) => {
      let gone = 0;
      for (const table of ['user_failures', 'batches', 'batch_steps'] as const) {
        if (gone < limit) gone += await deleted(statements.deleteDryRows(table), days, limit - gone);
      }
      if (gone < limit) await pool.query(statements.forgetDryRuns, [days]);
      return gone;
    },
    deleteAnswers: (days, limit) => deleted(statements.deleteAnswers, days, limit),
    deleteAudiences: async (days, limit) => {
      const { rows } = await pool.query<{ id: string }>(statements.oldAudiences, [days]);
      let gone = 0;
      for (const { id } of rows) {
        if (gone === limit) break;
        if ((await deleteUnusedList(pool, id)).kind === 'deleted') gone++;
      }
      return gone;
    },
    deleteReplacedPeople: (limit) => deleted(statements.deleteReplacedPeople, limit),
    failLostUploads: async () =>
      (await deleted(statements.failLostUploads)) + (await deleted(statements.failLostSuppressionUploads)),
    deleteDeadLetters: (days, limit) => deleted(statements.deleteDeadLetters, days, limit),
    deleteChanges: (days, limit) => deleted(statements.deleteChanges, days, limit),
    deleteSessions: async (limit) => {
      const gone = await deleted(statements.deleteSessions, limit);
      return gone + (await deleted(statements.deleteSessionLinks, limit - gone));
    },
  };
}

interface Week {
  /** Of the partition. */
  name: string;
  since: string;
  until: string;
}

/** Each week in a transaction of its own. @param change returns how many weeks it changed */
async function weekByWeek<Entry>(
  pool: Pool,
  weeks: readonly Entry[],
  change: (client: PoolClient, week: Entry) => Promise<number>,
): Promise<WeekChange> {
  const changed: WeekChange = { weeks: 0, heldUp: 0 };
  for (const week of weeks) {
    try {
      changed.weeks += await inTransaction(pool, async (client) => {
        await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
        return change(client, week);
      });
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      changed.heldUp++;
    }
  }
  return changed;
}

/** SQLSTATE `lock_not_available`. */
function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03';
}

async function makeWeek(client: PoolClient, weeksAhead: number): Promise<number> {
  const { rows } = await client.query<{ made: number }>(statements.makeWeek, [weeksAhead]);
  return onlyRow(rows).made;
}

async function dropWeek(client: PoolClient, { name, since, until }: Week, kind: KeptKind): Promise<number> {
  for (const text of statements.beforeDropping[kind]) await client.query(text, [since, until]);
  await client.query(statements.dropWeek, [name]);
  return 1;
}

/** Other tables that hold of the same feeds what is kept as long. */
async function companionsOf(pool: Pool, kind: KeptKind): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(statements.companions, [kind, statements.tableOf[kind]]);
  return rows.map(({ name }) => name);
}
