import type { Pool } from 'pg';
import { inTransaction } from '../../../shared/postgres/transaction.ts';
import type { KeptKind, Retention } from '../ports/retention.ts';
import * as statements from './retention-statements.ts';

/** What is not made or dropped in this time is, in an hour: nobody who records waits longer for it. */
const lockTimeoutMs = 2000;
const weeksAhead = 3;

export function createRetentionStore({ pool }: { pool: Pool }): Retention {
  async function deleted(text: string, ...values: unknown[]): Promise<number> {
    return (await pool.query(text, values)).rowCount ?? 0;
  }

  return {
    makeAhead: async () => {
      const { rows } = await patiently(pool, statements.makeAhead, [weeksAhead]);
      return Number(rows[0]?.['made']);
    },
    dropWeeks: (kind, days) => dropWeeks(pool, kind, days),
    deleteStrays: (kind, days, limit) => deleted(statements.deleteStrays(kind), days, limit),
    deleteRuns: async (days, limit) => {
      const { rows } = await pool.query<{ deleted: number }>(statements.deleteRuns, [days, limit]);
      return rows[0]?.deleted ?? 0;
    },
    deleteAnswers: (days, limit) => deleted(statements.deleteAnswers, days, limit),
    deleteDeadLetters: (days, limit) => deleted(statements.deleteDeadLetters, days, limit),
    deleteChanges: (days, limit) => deleted(statements.deleteChanges, days, limit),
  };
}

/** Week by week, each a transaction: what has to wait for a lock gives it up soon. */
async function dropWeeks(pool: Pool, kind: KeptKind, days: number): Promise<number> {
  const { rows } = await pool.query<{ name: string; since: string; until: string }>(statements.droppableWeeks, [
    statements.tableOf[kind],
    days,
  ]);
  for (const { name, since, until } of rows) {
    await inTransaction(pool, async (client) => {
      await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
      for (const text of statements.beforeDropping[kind]) await client.query(text, [since, until]);
      await client.query(`drop table ${client.escapeIdentifier(name)}`);
    });
  }
  return rows.length;
}

function patiently(pool: Pool, text: string, values: unknown[]) {
  return inTransaction(pool, async (client) => {
    await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
    return client.query<Record<string, unknown>>(text, values);
  });
}
