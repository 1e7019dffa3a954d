import type { Pool } from 'pg';
import { z } from 'zod';
import { statementOf } from '../../../../shared/postgres/statement.ts';
import type { ClientLedgers } from '../client-ledgers.port.ts';

const count = z.coerce.number();

const ledgerRow = z.object({
  ...{ accepted: count, called: count, expired: count, cancelled: count, dead: count, sidelined: count },
  check: z.object({ at: z.coerce.date(), partitions: count, expected: count, counted: count }).nullable(),
});

export function createClientLedgers({ pool }: { pool: Pool }): ClientLedgers {
  return {
    ledgerOf: async (clientId) => {
      const { rows } = await pool.query<object>(readLedger.with({ client: clientId }));
      const row = ledgerRow.parse(rows[0]);
      const { accepted, called, expired, cancelled, dead, sidelined } = row;
      return { ...row, pending: accepted - called - expired - cancelled - dead - sidelined };
    },
  };
}

/** Sidelined jobs have an index of their own; counting all others would read them. */
const readLedger = statementOf<{ client: string }>(
  'read-client-ledger',
  ($) => `
  select coalesce(sum(accepted), 0) as accepted, coalesce(sum(called), 0) as called, coalesce(sum(expired), 0) as expired,
    coalesce(sum(cancelled), 0) as cancelled, coalesce(sum(dead), 0) as dead,
    (select count(*) from jobs where client = ${$('client')}::uuid and sideline is not null) as sidelined,
    (select json_build_object('at', checked_at, 'partitions', partitions, 'expected', expected, 'counted', counted)
      from ledger_checks where client = ${$('client')}::uuid) as "check"
  from client_totals where client = ${$('client')}::uuid`,
);
