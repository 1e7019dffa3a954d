import type { Pool } from 'pg';
import { z } from 'zod';
import { keptClientDefinition } from '../../contracts/jobs/clients.ts';
import type { Client, ClientSource } from '../../ports/clients.ts';

const clientRow = z.object({
  clientId: z.string(),
  name: z.string(),
  revision: z.int(),
  definition: keptClientDefinition,
  enabled: z.boolean(),
  disabledReason: z.string().nullable(),
  keys: z.array(
    z.object({
      keyId: z.string(),
      sealed: z.string(),
      createdAt: z.coerce.date(),
      expiresAt: z.coerce.date().nullable(),
    }),
  ),
  createdAt: z.coerce.date(),
  updatedAt: z.coerce.date(),
});

/** The fields of a client with its keys, by the names that `clientOf` reads; `c` is its row. */
export const clientFields = `
  c.id as "clientId", c.name, c.revision, c.definition, c.enabled, c.disabled_reason as "disabledReason",
  c.created_at as "createdAt", c.updated_at as "updatedAt",
  (select coalesce(json_agg(json_build_object(
      'keyId', k.id, 'sealed', k.sealed, 'createdAt', k.created_at, 'expiresAt', k.expires_at) order by k.created_at desc, k.id desc), '[]')
    from client_keys k where k.client = c.id and coalesce(k.expires_at > now(), true)) as keys`;

/** Undefined where a newer version wrote what this one cannot read. */
export function clientOf(row: unknown): Client | undefined {
  return clientRow.safeParse(row).data;
}

/** One statement, so that all of it is of one moment. */
const readAll = `
  select clients_revision as revision,
    (select coalesce(json_agg(t order by t.name), '[]') from (select ${clientFields} from clients c) t) as clients
  from installation`;

const revisionRow = z.object({ revision: z.coerce.number() });
const allRow = revisionRow.extend({ clients: z.array(z.unknown()) });

export function createClientSource({ pool }: { pool: Pool }): ClientSource {
  return {
    revision: async () => {
      const query = { name: 'clients-revision', text: 'select clients_revision as revision from installation' };
      const { rows } = await pool.query<object>(query);
      return revisionRow.parse(rows[0]).revision;
    },
    read: async () => {
      const { rows } = await pool.query<object>(readAll);
      const { revision, clients } = allRow.parse(rows[0]);
      return { revision, clients: clients.flatMap((row) => clientOf(row) ?? []) };
    },
  };
}
