import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { createDatabase, dropDatabase } from '../../shared/postgres/connection/databases.ts';
import { migrate } from '../../shared/postgres/connection/migrate.ts';

export interface TemplateDatabase {
  name: string;
  drop(): Promise<void>;
}

/**
 * Creates the template database for test files: the newest schema, and a function that empties it. A copy takes half
 * the time of a migration.
 */
export async function createTemplateDatabase(serverUrl: string): Promise<TemplateDatabase> {
  const name = `template_${randomBytes(6).toString('hex')}`;
  const url = await createDatabase(serverUrl, name);
  await migrate(url);
  await addEmptying(url);
  return { name, drop: () => dropDatabase(serverUrl, name) };
}

/** Resets the rows of a test file's database to those after the migration. */
export const emptyTables = 'select emptying.empty_tables()';

/** These tables describe the schema, and are not emptied. */
const tablesOfTheSchema = ['knex_migrations', 'knex_migrations_lock', 'feed_tables'];

/**
 * Adds a function that deletes all rows and restores those of the migrations. It deletes instead of truncating, which
 * takes a hundred times as long with hundreds of almost empty partitions. It skips tables that never had rows, because
 * most tests write to few tables. It disables foreign keys and triggers, so that the order of tables does not matter.
 */
async function addEmptying(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const emptied = `relnamespace = 'public'::regnamespace and relkind = 'r' and relname not in (
      ${tablesOfTheSchema.map((name) => pg.escapeLiteral(name)).join(', ')})`;
    const { rows: tables } = await client.query<{ name: string }>(
      `select quote_ident(relname) as name from pg_class where ${emptied} order by relname`,
    );
    await client.query('create schema emptying');
    const restoring: string[] = [];
    for (const { name } of tables) {
      const { rowCount } = await client.query(`select from ${name} limit 1`);
      if (rowCount === 0) continue;
      await client.query(`create table emptying.${name} as table public.${name}`);
      restoring.push(`insert into public.${name} table emptying.${name};`);
    }
    await client.query(`
      create function emptying.empty_tables() returns void language plpgsql set session_replication_role = replica as $$
      declare
        written regclass;
      begin
        for written in select oid from pg_class where ${emptied} and pg_relation_size(oid) > 0 loop
          execute format('delete from only %s', written);
        end loop;
        ${restoring.join('\n')}
      end $$`);
  } finally {
    await client.end();
  }
}
