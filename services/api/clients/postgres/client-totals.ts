import type { Pool } from 'pg';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';

/** Totals of a client's jobs: accepted = called + expired + cancelled + dead + stored. */
export interface ClientTotals {
  clientId: string;
  accepted: number;
  called: number;
  expired: number;
  cancelled: number;
  dead: number;
  stored: number;
}

export type AllClientTotals = ReturnType<typeof createClientTotals>;

export function createClientTotals({ pool }: { pool: Pool }) {
  return {
    /**
     * Returns the totals of clients with jobs, those with the most stored jobs first. Clients of notifications are
     * excluded.
     * @param ids ids of the clients; undefined means all
     */
    all: async (ids: readonly string[] | undefined): Promise<ClientTotals[]> => {
      const { rows } = await pool.query<ClientTotals>(readTotals.with({ ids: ids ?? null }));
      return rows;
    },
  };
}

const readTotals = statementOf<{ ids: readonly string[] | null }>(
  'read-client-totals',
  ($) => `
  select t.client as "clientId", sum(accepted)::float8 as accepted, sum(called)::float8 as called,
    sum(expired)::float8 as expired, sum(cancelled)::float8 as cancelled, sum(dead)::float8 as dead,
    sum(accepted - called - expired - cancelled - dead)::float8 as stored
  from client_totals t
  where (${$('ids')}::uuid[] is null or t.client = any(${$('ids')}))
    and not exists (select from notifications n where n.id = t.client)
  group by t.client
  order by stored desc, t.client`,
);
