import type { Pool, PoolClient } from 'pg';
import { inTransaction } from '../../../../shared/postgres/connection/transaction.ts';
import type { SweptFeed } from '../../ports/outbox-sweep.ts';
import type { Reconciliation, Repair } from '../../ports/reconciliation.ts';
import * as statements from './reconcile-statements.ts';

/** Timeout in milliseconds. It suffices for ten million users on a cold disk. */
const timeoutMs = 600_000;

export function createReconciliation({ pool }: { pool: Pool }): Reconciliation {
  return {
    reconcile: (feed) =>
      inTransaction(pool, async (client) => {
        await client.query(`set local statement_timeout = ${timeoutMs}`);
        const repairs = [
          ...(await repairTotals(client, feed)),
          ...(await repairFailureTotals(client, feed)),
          ...(await repairFedUsers(client, feed)),
          ...(await repairAgenda(client, feed)),
        ];
        if (repairs.length > 0) await client.query(statements.noteRepairs, [feed.feedId, JSON.stringify(repairs)]);
        return repairs;
      }),
  };
}

type Sums = Record<(typeof statements.sums)[number], number> & { step: number };

async function repairTotals(client: PoolClient, { feedId }: SweptFeed): Promise<Repair[]> {
  const { rows } = await client.query<Sums>(statements.reconcileTotals.with({ feed: feedId }));
  return rows.map((row) => {
    const changed = statements.sums.filter((sum) => row[sum] !== 0);
    return { kind: 'totals', step: row.step, what: changed.map((sum) => `${sum} ${signed(row[sum])}`).join(', ') };
  });
}

async function repairFailureTotals(client: PoolClient, { feedId }: SweptFeed): Promise<Repair[]> {
  const { rows } = await client.query<{ step: number; reason: string; users: number }>(
    statements.reconcileFailureTotals.with({ feed: feedId }),
  );
  return rows.map(({ step, reason, users }) => ({ kind: 'failure-totals', step, what: `${reason} ${signed(users)}` }));
}

async function repairFedUsers(client: PoolClient, { feedId }: SweptFeed): Promise<Repair[]> {
  const { rows } = await client.query<{ users: number }>(statements.reconcileFedUsers.with({ feed: feedId }));
  return rows.map(({ users }) => ({ kind: 'fed-users', step: null, what: signed(users) }));
}

async function repairAgenda(client: PoolClient, { feedId, chainLength }: SweptFeed): Promise<Repair[]> {
  const { rows } = await client.query<{ step: number; steps: number }>(
    statements.reconcileAgenda.with({ feed: feedId, chainLength }),
  );
  return rows.map(({ step, steps }) => ({ kind: 'agenda', step, what: String(steps) }));
}

function signed(difference: number): string {
  return difference > 0 ? `+${difference}` : String(difference);
}
