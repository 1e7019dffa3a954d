import type { Pool } from 'pg';
import { knownMigrations } from './migrate.ts';

/**
 * Differences between the database's schema and this image's. @property missing migrations that this image knows and
 * the database has not applied @property unknown migrations that the database has applied and this image does not know:
 * this image is older @property made the version that changed the schema last; null if none is recorded
 */
export interface SchemaState {
  missing: string[];
  unknown: string[];
  made: { version: string; oldest: string; at: Date } | null;
}

export async function readSchemaState(pool: Pool): Promise<SchemaState> {
  const known = await knownMigrations();
  const { rows: tables } = await pool.query<{ migrations: boolean; versions: boolean }>(
    `select to_regclass('knex_migrations') is not null as migrations,
       to_regclass('schema_versions') is not null as versions`,
  );
  const there = tables[0];
  if (there?.migrations !== true) return { missing: known, unknown: [], made: null };
  const { rows } = await pool.query<{ name: string }>('select name from knex_migrations');
  const applied = new Set(rows.map(({ name }) => name));
  return {
    missing: known.filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !known.includes(name)),
    made: there.versions ? await readMade(pool) : null,
  };
}

async function readMade(pool: Pool): Promise<SchemaState['made']> {
  const { rows } = await pool.query<NonNullable<SchemaState['made']>>(
    'select version, oldest, migrated_at as at from schema_versions order by migrated_at desc limit 1',
  );
  return rows[0] ?? null;
}
