import type { Pool } from 'pg';
import type { DispatcherCredit, Dispatchers } from '../ports/dispatchers.ts';

type TakingRow = Omit<DispatcherCredit, 'toClients'> & { toClients: Record<string, number> };

export function createDispatchers({ pool }: { pool: Pool }): Dispatchers {
  return {
    credit: async (region) => {
      const { rows } = await pool.query<TakingRow>(selectTaking, [region]);
      return rows.map((row) => ({ ...row, toClients: new Map(Object.entries(row.toClients)) }));
    },
  };
}

const selectTaking = `
  select owner, default_client_credit as "toAnyClient", client_credit as "toClients" from job_nodes
  where kind = 'dispatcher' and region = $1 and default_client_credit is not null and expires_at > now()`;
