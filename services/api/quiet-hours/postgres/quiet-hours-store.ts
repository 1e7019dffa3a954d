import type { Pool } from 'pg';
import type { z } from 'zod';
import { keptQuietRule } from '../../../../shared/contracts/endpoints/quiet-hours.ts';
import { retryingDeadlocks } from '../../../../shared/postgres/connection/transaction.ts';
import { changeRegistry, moveRevision } from '../../../../shared/postgres/registry/registry.ts';
import { stepState } from '../../../../shared/postgres/ledger/ledger-codes.ts';

export type QuietRules = z.output<typeof keptQuietRule>[];

export interface QuietHoursRecord {
  /** 0: there have never been any. */
  revision: number;
  rules: QuietRules;
  madeAt: Date | null;
}

const noHours: QuietHoursRecord = { revision: 0, rules: [], madeAt: null };

const selectNewest = `
  select revision, rules, created_at as "madeAt" from quiet_hours order by revision desc limit 1`;

/** Of two at once, the second finds the first one's revision there. */
const insertHours = `
  with h as (
    insert into quiet_hours (revision, rules, made_by)
    select n.revision + 1, $1::jsonb, $2 from (select coalesce(max(revision), 0) as revision from quiet_hours) n
    where $3::int is null or n.revision = $3::int
    returning 1
  )
  ${moveRevision} where exists (select from h)`;

/** What waits for the end of hours that may be others now is due: where it is quiet still, it is put back once more. */
const liftHolds = `
  with h as (
    delete from holds where until > now() returning feed, step
  ), a as (
    update agenda a set offer_at = now(), offers = 0 from h where a.feed = h.feed and a.step = h.step
    returning a.feed, a.batch_no, a.step
  )
  update batch_steps s set next_attempt_at = now() from a
  where s.feed = a.feed and s.batch_no = a.batch_no and s.step = a.step and s.state = ${stepState.waiting}
    and s.next_attempt_at > now()`;

export function createQuietHoursStore({ pool }: { pool: Pool }) {
  async function read(): Promise<QuietHoursRecord> {
    const { rows } = await pool.query<{ revision: number; rules: unknown; madeAt: Date }>(selectNewest);
    const [row] = rows;
    return row ? { ...row, rules: keptQuietRule.array().parse(row.rules) } : noHours;
  }

  return {
    read,
    /** Undefined where another revision is in force than was expected. @param expected null for whatever it is */
    set: async (rules: QuietRules, expected: number | null, by: string | null) => {
      const values = [JSON.stringify(rules), by, expected];
      const isMade = await changeRegistry(pool, async (client) => (await client.query(insertHours, values)).rowCount);
      if (isMade !== 1) return undefined;
      // A flush that puts back locks the same rows, in another order.
      await retryingDeadlocks(() => pool.query(liftHolds));
      return await read();
    },
  };
}

export type QuietHoursStore = ReturnType<typeof createQuietHoursStore>;
