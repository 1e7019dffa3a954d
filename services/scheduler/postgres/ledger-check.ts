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

/** Maximum number of rows of blocked jobs that a check reads, over all clients, in an index-only scan. */
const maxBlocked = 1_000_000;

const stored = 'sum(accepted - called - expired - cancelled - dead)';

const expectedInAll = `select coalesce(${stored}, 0)::float8 as jobs from client_totals`;

/**
 * Reads jobs and totals in one statement. Each change of a job updates its total in the same transaction, so both are
 * of the same moment.
 */
const checkLedgers = statementOf<{ partitions: string; count: number }>(
  'check-ledgers',
  ($) => `
  with totals as (
    select client, ${stored} as expected, sum(dead) as dead from client_totals group by client
  ), counts as (
    select client, count(*) as counted, count(*) filter (where due_at <= now()) as due,
      min(due_at) filter (where due_at <= now()) as oldest_due_at, count(sideline) as sidelined
    from jobs where partition_id = any(${$('partitions')}::int2[]) group by client
  ), lines as (
    select client, count(*) as jobs, count(distinct ordering_key) as keys, min(ready_at) as oldest_at
    from (
      select client, ordering_key, ready_at from jobs
      where ordering_key is not null and due_at = 'infinity' and sideline is null
      order by client, ordering_key limit ${maxBlocked}
    ) w
    where ready_at <= now() group by client
  ), circuits as (
    select coalesce(e.client, c.endpoint) as client, count(*) as hosts
    from host_circuits c left join client_endpoints e on e.id = c.endpoint group by 1
  )
  insert into ledger_checks as c (client, checked_at, partitions, expected, counted, due, oldest_due_at, sidelined,
    blocked, blocked_keys, oldest_blocked_at, dead, open_hosts)
  select client, now(), ${$('count')}::int2, coalesce(t.expected, 0), coalesce(k.counted, 0), coalesce(k.due, 0),
    k.oldest_due_at, coalesce(k.sidelined, 0), coalesce(l.jobs, 0), coalesce(l.keys, 0), l.oldest_at,
    coalesce(t.dead, 0), coalesce(h.hosts, 0)
  from totals t full join counts k using (client) left join circuits h using (client) left join lines l using (client)
  on conflict (client) do update
  set checked_at = excluded.checked_at, partitions = excluded.partitions, expected = excluded.expected,
    counted = excluded.counted, due = excluded.due, oldest_due_at = excluded.oldest_due_at,
    sidelined = excluded.sidelined, blocked = excluded.blocked, blocked_keys = excluded.blocked_keys,
    oldest_blocked_at = excluded.oldest_blocked_at, dead = excluded.dead, open_hosts = excluded.open_hosts
  returning client as "clientId", expected::float8 as expected, counted::float8 as counted, due::float8 as due,
    coalesce(date_part('epoch', now() - oldest_due_at) * 1000, 0) as "oldestDueMs", sidelined::float8 as sidelined,
    blocked::float8 as blocked, blocked_keys::float8 as "blockedKeys",
    coalesce(date_part('epoch', now() - oldest_blocked_at) * 1000, 0) as "oldestBlockedMs", dead::float8 as dead,
    open_hosts as hosts`,
);
