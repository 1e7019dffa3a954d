import type { Pool } from 'pg';
import { z } from 'zod';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';

const count = z.coerce.number();

const ledgerRow = z.object({
  ...{ accepted: count, called: count, expired: count, cancelled: count, dead: count, sidelined: count },
  /** The last time that its stored jobs were counted; null before the first. */
  check: z.object({ at: z.coerce.date(), partitions: count, expected: count, counted: count }).nullable(),
});

/**
 * accepted = called + expired + cancelled + dead + sidelined + pending, where pending is what is left: it is not
 * counted for each question.
 */
export interface ClientLedger extends z.output<typeof ledgerRow> {
  pending: number;
}

export type ClientLedgers = ReturnType<typeof createClientLedgers>;

export function createClientLedgers({ pool }: { pool: Pool }) {
  return {
    /** All figures are of one moment. All are 0 for a client that never had a job. */
    ledgerOf: async (clientId: string): Promise<ClientLedger> => {
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
