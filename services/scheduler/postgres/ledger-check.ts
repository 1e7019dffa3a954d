import type { Pool } from 'pg';
import { plainArray } from '../../../shared/postgres/connection/array-literals.ts';
import { statementOf } from '../../../shared/postgres/connection/statement.ts';
import type { CheckedLedger, LedgerCheck } from '../ports/ledger-check.ts';

export function createLedgerCheck({ pool }: { pool: Pool }): LedgerCheck {
  return {
    expectedInAll: async () => {
      const { rows } = await pool.query<{ jobs: number }>(expectedInAll);
      return rows[0]?.jobs ?? 0;
    },
    check: async (partitions) => {
      const params = { partitions: plainArray(partitions), count: partitions.length };
      const { rows } = await pool.query<CheckedLedger>(checkLedgers.with(params));
      return rows;
    },
  };
}

const stored = 'sum(accepted - called - expired - cancelled - dead)';

const expectedInAll = `select coalesce(${stored}, 0)::float8 as jobs from client_totals`;

/**
 * One statement, so that totals and jobs are of one moment: every change of a job moves its total in the same
 * transaction.
 */
const checkLedgers = statementOf<{ partitions: string; count: number }>(
  'check-ledgers',
  ($) => `
  with totals as (
    select client, ${stored} as expected from client_totals group by client
  ), counts as (
    select client, count(*) as counted from jobs where partition_id = any(${$('partitions')}::int2[]) group by client
  )
  insert into ledger_checks as c (client, checked_at, partitions, expected, counted)
  select client, now(), ${$('count')}::int2, coalesce(t.expected, 0), coalesce(k.counted, 0) from totals t full
    join counts k using (client)
  on conflict (client) do update
  set checked_at = excluded.checked_at, partitions = excluded.partitions, expected = excluded.expected,
    counted = excluded.counted
  returning client as "clientId", expected::float8 as expected, counted::float8 as counted`,
);
