import type { Pool } from 'pg';
import { knownMigrations } from './migrate.ts';

/**
 * How the database's schema stands to that of this image.
 * @property missing migrations that this image knows and the database has not seen
 * @property unknown migrations that the database has seen and this image does not know: it is the older one
 */
export interface SchemaState {
  missing: string[];
  unknown: string[];
}

export async function readSchemaState(pool: Pool): Promise<SchemaState> {
  const known = await knownMigrations();
  const { rows: tables } = await pool.query<{ found: boolean }>(
    `select to_regclass('knex_migrations') is not null as found`,
  );
  if (tables[0]?.found !== true) return { missing: known, unknown: [] };
  const { rows } = await pool.query<{ name: string }>('select name from knex_migrations');
  const applied = new Set(rows.map(({ name }) => name));
  return {
    missing: known.filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !known.includes(name)),
  };
}
