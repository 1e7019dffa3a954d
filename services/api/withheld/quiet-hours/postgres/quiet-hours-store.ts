import type { Pool, PoolClient } from 'pg';
import type { z } from 'zod';
import { keptQuietRule } from '../../../../../shared/contracts/endpoints/quiet-hours.ts';
import { inTransaction, retryingDeadlocks } from '../../../../../shared/postgres/connection/transaction.ts';
import { changeRegistry, moveRevision } from '../../../../../shared/postgres/registry/registry.ts';
import { makeDue } from '../../../../../shared/postgres/ledger/steps-due.ts';
import type { FeedStep } from '../../../../../shared/ports/step-holds.ts';

export type QuietRules = z.output<typeof keptQuietRule>[];

export interface QuietHoursRecord {
  /** Revision of the quiet hours; 0 if they were never set. */
  revision: number;
  rules: QuietRules;
  madeAt: Date | null;
}

const noHours: QuietHoursRecord = { revision: 0, rules: [], madeAt: null };

const selectNewest = `
  select revision, rules, created_at as "madeAt" from quiet_hours order by revision desc limit 1`;

/**
 * Inserts the next revision. Inserts no row for an outdated revision, so that the second of two concurrent changes is
 * refused.
 */
const insertHours = `
  with h as (
    insert into quiet_hours (revision, rules, created_by)
    select n.revision + 1, $1::jsonb, $2 from (select coalesce(max(revision), 0) as revision from quiet_hours) n
    where $3::int is null or n.revision = $3::int
    returning 1
  )
  ${moveRevision} where exists (select from h)`;

/**
 * Makes steps due that wait for the end of quiet hours. Workers put them on hold again if the quiet hours have not
 * ended.
 */
async function liftHolds(client: PoolClient): Promise<void> {
  const { rows } = await client.query<FeedStep>(dropHolds);
  await makeDue(client, rows);
}

const dropHolds = `
  delete from holds where kind = 'quiet-hours' and until > now() returning feed as "feedId", step`;

export function createQuietHoursStore({ pool }: { pool: Pool }) {
  async function read(): Promise<QuietHoursRecord> {
    const { rows } = await pool.query<{ revision: number; rules: unknown; madeAt: Date }>(selectNewest);
    const [row] = rows;
    return row ? { ...row, rules: keptQuietRule.array().parse(row.rules) } : noHours;
  }

  return {
    read,
    /**
     * Sets the quiet hours. Returns undefined if the current revision is not the expected one.
     * @param expected revision that the caller expects; null permits any
     */
    set: async (rules: QuietRules, expected: number | null, by: string | null) => {
      const values = [JSON.stringify(rules), by, expected];
      const isMade = await changeRegistry(pool, async (client) => (await client.query(insertHours, values)).rowCount);
      if (isMade !== 1) return undefined;
      // Deadlocks are possible, and the transaction is then retried: workers that schedule steps again lock the same
      // rows in another order.
      await retryingDeadlocks(() => inTransaction(pool, liftHolds));
      return await read();
    },
  };
}
