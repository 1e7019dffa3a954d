import { readdir } from 'node:fs/promises';
import knex, { type Knex } from 'knex';
import { z } from 'zod';

const folder = new URL('../../migrations/', import.meta.url);

/** Any number that nothing else in the database takes an advisory lock on; in hexadecimal it reads "muster". */
const migrationLock = '120351215609202';

/** Number of the group of migrations, and their names: knex leaves it untyped. */
const latestAnswer = z.tuple([z.number(), z.array(z.string())]);

/**
 * Brings the database to the newest schema; returns the names of the migrations that this call applied, oldest first. Each migration is
 * one transaction. Safe to run from several processes at once: the later ones wait and find nothing to do.
 */
export async function migrate(connectionString: string): Promise<string[]> {
  const database = openForMigrations(connectionString);
  try {
    // Knex's own lock is a row that a killed process leaves behind for ever. This one ends with the connection, which is the
    // only one: whoever lost the lock cannot go on migrating.
    await database.raw('select pg_advisory_lock(?)', [migrationLock]);
    await database.migrate.forceFreeMigrationsLock();
    const [, names] = latestAnswer.parse(await database.migrate.latest());
    return names;
  } finally {
    await database.destroy();
  }
}

/** Knex bound to the migrations folder. Its CLI and TypeScript modules disagree, so the programmatic interface is the only way in. */
export function openForMigrations(connectionString: string): Knex {
  return knex({
    client: 'pg',
    connection: connectionString,
    pool: { min: 1, max: 1 },
    migrations: { migrationSource },
  });
}

/** Names of the migrations that this version brings, oldest first. */
export async function knownMigrations(): Promise<string[]> {
  return (await migrationFiles()).map(nameOf);
}

async function migrationFiles(): Promise<string[]> {
  return (await readdir(folder)).filter((file) => /^\d{14}_.*\.ts$/.test(file)).sort();
}

function nameOf(file: string): string {
  return file.replace(/\.ts$/, '');
}

const migrationSource: Knex.MigrationSource<string> = {
  getMigrations: migrationFiles,
  getMigrationName: nameOf,
  getMigration: async (file) => {
    const loaded: unknown = await import(new URL(file, folder).href);
    if (!isMigration(loaded)) throw new Error(`migrations/${file} does not export a function up`);
    return { up: (database) => loaded.up(database), down: refuseToGoDown };
  },
};

function isMigration(loaded: unknown): loaded is Pick<Knex.Migration, 'up'> {
  return typeof loaded === 'object' && loaded !== null && 'up' in loaded && typeof loaded.up === 'function';
}

/** Knex wants one. To go back is to start the version before on the schema that is there. */
function refuseToGoDown(): Promise<never> {
  return Promise.reject(new Error('the schema only goes up'));
}
