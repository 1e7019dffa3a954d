import type { Pool } from 'pg';
import { z } from 'zod';
import type { Dispatchers } from '../ports/dispatchers.ts';

const takingRow = z.object({
  owner: z.string(),
  toAnyClient: z.int(),
  toClients: z.record(z.string(), z.int()),
});

export function createDispatchers({ pool }: { pool: Pool }): Dispatchers {
  return {
    credit: async (region) => {
      const { rows } = await pool.query<object>(selectTaking, [region]);
      return rows.map((row) => {
        const { owner, toAnyClient, toClients } = takingRow.parse(row);
        return { owner, toAnyClient, toClients: new Map(Object.entries(toClients)) };
      });
    },
  };
}

const selectTaking = `
  select owner, any_client_credit as "toAnyClient", client_credit as "toClients" from job_nodes
  where kind = 'dispatcher' and region = $1 and any_client_credit is not null and expires_at > now()`;
