import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { orderSql } from '../../migrations/20261122000000_schema/sql-order.ts';
import { createEmptyTestDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { root } from '../tiers/commands.ts';

const folder = path.join(root, 'migrations/20261122000000_schema');
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.sql'))
  .map((file) => path.basename(file, '.sql'))
  .toSorted();
const textOf = (name: string) => readFileSync(path.join(folder, `${name}.sql`), 'utf8');
const textsIn = (order: readonly string[]) => new Map(order.map((name) => [name, textOf(name)]));

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createEmptyTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** Runs the files in a transaction that is rolled back, and returns what `read` finds at its end. */
async function within<Found>(files: readonly string[], read: () => Promise<Found>): Promise<Found> {
  await client.query('begin');
  try {
    for (const name of files) await client.query(textOf(name));
    return await read();
  } finally {
    await client.query('rollback');
  }
}

/** The file behind the files that it names, directly or through these. */
function withEarlier(name: string): string[] {
  const texts = textsIn(names);
  const needed = new Set([name]);
  for (const each of needed)
    for (const earlier of /^-- after: (.*)\n/.exec(texts.get(each) ?? '')?.[1]?.split(', ') ?? [])
      if (texts.has(earlier)) needed.add(earlier);
  return orderSql(textsIn([...needed]));
}

/** A line for each column, constraint, index, trigger, function, view and setting of a table. */
const schema = `
  with named as (
    select c.*, c.oid::regclass::text as of_table from pg_class c where relnamespace = 'public'::regnamespace
  )
  select line from (
    select of_table || ' ' || relkind::text || ' ' || coalesce(array_to_string(reloptions, ','), '') as line from named
    union all
    select of_table || '.' || attname || ' ' || attnum || ' ' || format_type(atttypid, atttypmod) || ' '
        || attnotnull || ' ' || attstorage::text || ' ' || coalesce(pg_get_expr(adbin, adrelid), '')
      from named join pg_attribute on attrelid = named.oid and attnum > 0
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
    union all
    select of_table || ' ' || conname || ' ' || pg_get_constraintdef(k.oid)
      from named join pg_constraint k on conrelid = named.oid
    union all
    select pg_get_indexdef(oid) from named where relkind in ('i', 'I')
    union all
    select pg_get_triggerdef(t.oid) from named join pg_trigger t on tgrelid = named.oid where not tgisinternal
    union all
    select pg_get_viewdef(oid) from named where relkind = 'v'
    union all
    select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
  ) lines order by line`;

const readSchema = async () => (await client.query<{ line: string }>(schema)).rows.map(({ line }) => line);

describe('a SQL file of the schema', () => {
  it.each(names)('needs only the files that it names: %s', async (name) => {
    await expect(within(withEarlier(name), () => Promise.resolve('ran'))).resolves.toBe('ran');
  });
});

describe('the database schema', () => {
  it('is identical for every order that its files allow', async () => {
    const one = await within(orderSql(textsIn(names)), readSchema);
    const other = await within(orderSql(textsIn(names.toReversed())), readSchema);
    expect(one.length).toBeGreaterThan(1000);
    expect(other).toEqual(one);
  });
});
