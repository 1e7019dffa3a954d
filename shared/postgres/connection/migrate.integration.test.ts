import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEmptyTestDatabase, type TestDatabase } from '../../../test/support/postgres-database.ts';
import { packageVersion } from '../../runtime/version.ts';
import { migrate, openForMigrations } from './migrate.ts';

const names = (await readdir(new URL('../../../migrations/', import.meta.url)))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.replace(/\.ts$/, ''))
  .sort();

let database: TestDatabase;
beforeEach(async () => {
  database = await createEmptyTestDatabase();
});
afterEach(() => database.drop());

describe('muster migrate', () => {
  it('applies every migration once and lists the applied ones', async () => {
    expect(await migrate(database.url)).toEqual(names);
    expect(await migrate(database.url)).toEqual([]);
  });

  it('can run in two processes at once: one applies, and the other waits and finds nothing to do', async () => {
    const applied = await Promise.all([migrate(database.url), migrate(database.url)]);
    expect(applied.sort((a, b) => a.length - b.length)).toEqual([[], names]);
  });

  it('can run in eight processes at once on an empty database', async () => {
    const applied = await Promise.all(Array.from({ length: 8 }, () => migrate(database.url)));
    expect(applied.filter((each) => each.length > 0)).toEqual([names]);
  });

  it('ignores the lock of a killed migration', async () => {
    const migrations = openForMigrations(database.url);
    await migrations.migrate.list();
    await migrations('knex_migrations_lock').update({ is_locked: 1 });
    await migrations.destroy();
    expect(await migrate(database.url)).toEqual(names);
  });
});

describe('several Muster versions that migrate one database', () => {
  let folder: string;
  const files = () => pathToFileURL(`${folder}/`);
  const add = (name: string, oldest: string) =>
    Promise.all([
      writeFile(join(folder, `${name}.ts`), 'export async function up() {}'),
      writeFile(join(folder, 'oldest-version'), `${oldest}\n`),
    ]);
  const by = (version: string) => migrate(database.url, { folder: files(), version });
  const recorded = async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      const text = 'select version, oldest, migrations from schema_versions order by migrated_at';
      return (await client.query<{ version: string; oldest: string; migrations: string[] }>(text)).rows;
    } finally {
      await client.end();
    }
  };
  beforeEach(async () => {
    await migrate(database.url, { version: '1.0.0' });
    folder = await mkdtemp(join(tmpdir(), 'muster-versions-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('are recorded with their migrations and the oldest compatible version', async () => {
    await add('29990101000000_later', '1.0.0');
    expect(await by('1.1.0')).toEqual(['29990101000000_later']);
    await by('1.2.0');
    await by('1.2.0');
    expect(await recorded()).toEqual([
      { version: '1.0.0', oldest: packageVersion, migrations: names },
      { version: '1.1.0', oldest: '1.0.0', migrations: ['29990101000000_later'] },
      { version: '1.2.0', oldest: '1.0.0', migrations: [] },
    ]);
  });

  it('have nothing to do under a compatible newer schema, and are refused under an incompatible one', async () => {
    await add('29990101000000_later', '1.0.0');
    await by('1.1.0');
    expect(await migrate(database.url, { version: '1.0.0' })).toEqual([]);
    await add('29990102000000_without-what-was', '1.1.0');
    await by('1.2.0');
    await expect(migrate(database.url, { version: '1.0.0' })).rejects.toThrow(
      "this is Muster 1.0.0, and Muster 1.2.0 has changed the database's schema: 1.1.0 is the oldest",
    );
    expect((await recorded()).map(({ version }) => version)).toEqual(['1.0.0', '1.1.0', '1.2.0']);
  });
});

describe('a migration of a table in use', () => {
  let folder: string;
  let user: pg.Client;
  const files = () => pathToFileURL(`${folder}/`);
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'muster-migrations-'));
    await addMigration('20300101000000_table', `await knex.raw('create table used (id int)');`);
    await migrate(database.url, { folder: files() });
    user = new pg.Client({ connectionString: database.url });
    await user.connect();
  });
  afterEach(async () => {
    await user.end();
    await rm(folder, { recursive: true });
  });

  it('lets statements of other sessions through while it waits, and is applied once the table is free', async () => {
    await addMigration('20300102000000_column', `await knex.raw('alter table used add note text');`);
    await user.query('begin; insert into used values (1)');
    const waits: string[] = [];
    const neighbour = new pg.Client({ connectionString: database.url });
    await neighbour.connect();
    let released: Promise<unknown> | undefined;
    const applied = await migrate(database.url, {
      folder: files(),
      onWait: (why) => {
        waits.push(why);
        // If the migration still waited for its lock, this insert would wait behind it, and the table never be free.
        released ??= neighbour.query('insert into used values (2)').then(() => user.query('commit'));
      },
    });
    await released;
    await neighbour.end();
    expect(waits[0]).toBe('a table was in use for 2000 ms, try 1 of 30: letting its users through');
    expect(applied).toEqual(['20300102000000_column']);
    expect((await user.query('select id, note from used order by 1')).rows).toEqual([
      { id: 1, note: null },
      { id: 2, note: null },
    ]);
  });

  it('can build an index concurrently while another process migrates and the table is written', async () => {
    await addMigration(
      '20300102000000_index',
      `await knex.raw('create index concurrently used_by_id on used (id)');`,
      'export const config = { transaction: false };',
    );
    await user.query('begin; insert into used values (1)');
    const both = [1, 2].map(() =>
      migrate(database.url, {
        folder: files(),
        onWait: () => void user.query('commit'),
      }),
    );
    expect((await Promise.all(both)).flat()).toEqual(['20300102000000_index']);
    const { rows } = await user.query(
      `select indisvalid as valid from pg_index where indexrelid = 'used_by_id'::regclass`,
    );
    expect(rows).toEqual([{ valid: true }]);
  });

  it('keeps the earlier migrations if it fails', async () => {
    await addMigration('20300102000000_good', `await knex.raw('alter table used add note text');`);
    await addMigration('20300103000000_bad', `await knex.raw('alter table used add note text');`);
    await expect(migrate(database.url, { folder: files() })).rejects.toThrow(
      /^20300103000000_bad: column "note" of relation "used" already exists$/,
    );
    const { rows } = await user.query(`select name from knex_migrations order by id`);
    expect(rows).toEqual([{ name: '20300101000000_table' }, { name: '20300102000000_good' }]);
  });

  function addMigration(name: string, statements: string, more = ''): Promise<void> {
    const text = `${more}\nexport async function up(knex) {\n  ${statements}\n}\n`;
    return writeFile(join(folder, `${name}.ts`), text);
  }
});
