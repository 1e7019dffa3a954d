import type { Pool } from 'pg';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { campaignsUsingList } from '../../../../shared/postgres/audiences/list-usage.ts';
import { onlyRow } from '../../../../shared/postgres/connection/rows.ts';
import { inTransaction } from '../../../../shared/postgres/connection/transaction.ts';
import type { KeptKind, Retention } from '../retention-store.port.ts';
import { deleteAudience } from '../../../../shared/postgres/audiences/delete-audience.ts';
import * as statements from './retention-statements.ts';

/** What is not made or dropped in this time is, in an hour: no recording statement waits longer for it. */
const lockTimeoutMs = 2000;
const weeksAhead = 3;

export function createRetentionStore({ pool }: { pool: Pool }): Retention {
  async function deleted(text: string, ...values: unknown[]): Promise<number> {
    return (await pool.query(text, values)).rowCount ?? 0;
  }

  return {
    makeAhead: () =>
      inTransaction(pool, async (client) => {
        await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
        const { rows } = await client.query<{ made: number }>(statements.makeAhead, [weeksAhead]);
        return onlyRow(rows).made;
      }),
    dropWeeks: (kind, days) => dropWeeks(pool, kind, days),
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
    deleteAnswers: (days, limit) => deleted(statements.deleteAnswers, days, limit),
    deleteAudiences: async (days, limit) => {
      const { rows } = await pool.query<{ id: string }>(statements.oldAudiences, [days]);
      let gone = 0;
      for (const { id } of rows) {
        if (gone === limit) break;
        if ((await campaignsUsingList(pool, publicId('audience', id))).length > 0) continue;
        gone += await deleted(deleteAudience, id);
      }
      return gone;
    },
    failLostUploads: () => deleted(statements.failLostUploads),
    deleteDeadLetters: (days, limit) => deleted(statements.deleteDeadLetters, days, limit),
    deleteChanges: (days, limit) => deleted(statements.deleteChanges, days, limit),
    deleteSessions: async (limit) => {
      const gone = await deleted(statements.deleteSessions, limit);
      return gone + (await deleted(statements.deleteSessionLinks, limit - gone));
    },
  };
}

/** Week by week, each a transaction: what has to wait for a lock gives it up soon. */
async function dropWeeks(pool: Pool, kind: KeptKind, days: number): Promise<number> {
  const { rows } = await pool.query<{ name: string; since: string; until: string }>(statements.droppableWeeks, [
    statements.tableOf[kind],
    days,
  ]);
  const others = await companionsOf(pool, kind);
  for (const { name, since, until } of rows) {
    const suffix = name.slice(statements.tableOf[kind].length);
    await inTransaction(pool, async (client) => {
      await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
      for (const text of statements.beforeDropping[kind]) await client.query(text, [since, until]);
      await client.query(`drop table ${client.escapeIdentifier(name)}`);
      for (const other of others) await client.query(`drop table if exists ${client.escapeIdentifier(other + suffix)}`);
    });
  }
  return rows.length;
}

/** Other tables that hold of the same feeds what is kept as long. */
async function companionsOf(pool: Pool, kind: KeptKind): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(statements.companions, [kind, statements.tableOf[kind]]);
  return rows.map(({ name }) => name);
}
