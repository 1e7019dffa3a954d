import type { Pool } from 'pg';
import { onlyRow, type InJson } from '../../../../shared/postgres/connection/rows.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';

interface Counted {
  accepted: number;
  called: number;
  expired: number;
  cancelled: number;
  dead: number;
  sidelined: number;
  /** Number of pending jobs that wait for an earlier job with the same ordering key. */
  waiting: number;
  /** Number of pending jobs that wait for a report of their receiver. */
  reporting: number;
}

interface Check {
  at: Date;
  partitions: number;
  expected: number;
  counted: number;
  due: number;
  oldestDueAt: Date | null;
  blocked: number;
  blockedKeys: number;
  oldestBlockedAt: Date | null;
  hosts: number;
}

/**
 * Ledger of a client's jobs: accepted = called + expired + cancelled + dead + sidelined + pending, where pending is
 * computed from the others.
 */
export interface ClientLedger extends Counted {
  pending: number;
  /** Last count of the stored jobs; null before the first count. */
  check: Check | null;
}

type LedgerRow = Counted & { check: InJson<Check> | null };

export type ClientLedgers = ReturnType<typeof createClientLedgers>;

export function createClientLedgers({ pool }: { pool: Pool }) {
  return {
    /** Returns all numbers from one snapshot. All are 0 for a client that has never had a job. */
    ledgerOf: async (clientId: string): Promise<ClientLedger> => {
      const { rows } = await pool.query<LedgerRow>(readLedger.with({ client: clientId }));
      const { check, ...counted } = onlyRow(rows);
      const { accepted, called, expired, cancelled, dead, sidelined } = counted;
      return {
        ...counted,
        pending: accepted - called - expired - cancelled - dead - sidelined,
        check: check && {
          ...check,
          at: new Date(check.at),
          oldestDueAt: check.oldestDueAt === null ? null : new Date(check.oldestDueAt),
          oldestBlockedAt: check.oldestBlockedAt === null ? null : new Date(check.oldestBlockedAt),
        },
      };
    },
  };
}

/**
 * Sidelined jobs are counted in an index of their own. Pending jobs are not counted, because this would read their
 * rows.
 */
const readLedger = statementOf<{ client: string }>(
  'read-client-ledger',
  ($) => `
  select coalesce(sum(accepted), 0)::float8 as accepted, coalesce(sum(called), 0)::float8 as called,
    coalesce(sum(expired), 0)::float8 as expired, coalesce(sum(cancelled), 0)::float8 as cancelled,
    coalesce(sum(dead), 0)::float8 as dead,
    (select count(*)::float8 from jobs where client = ${$('client')}::uuid and sideline is not null) as sidelined,
    (select count(*)::float8 from (select from jobs where client = ${$('client')}::uuid and ordering_key is not null
      and due_at = 'infinity' and sideline is null limit 10000) w) as waiting,
    (select count(*)::float8 from (select from jobs where client = ${$('client')}::uuid and report is not null
      limit 10000) r) as reporting,
    (select json_build_object('at', checked_at, 'partitions', partitions, 'expected', expected, 'counted', counted,
      'due', due, 'oldestDueAt', oldest_due_at, 'blocked', blocked, 'blockedKeys', blocked_keys,
      'oldestBlockedAt', oldest_blocked_at, 'hosts', open_hosts)
      from ledger_checks where client = ${$('client')}::uuid) as "check"
  from client_totals where client = ${$('client')}::uuid`,
);
