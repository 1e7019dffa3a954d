import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import { z } from 'zod';

export interface MigrateOptions {
  /** Where the migrations are; this version's own unless given. Ends with a slash. */
  folder?: URL;
  /** Reported, for people, each time that something is waited for. */
  onWait?: (why: string) => void;
}

const ownFolder = new URL('../../../migrations/', import.meta.url);

/** Any number that nothing else in the database takes an advisory lock on; in hexadecimal it reads "muster". */
const migrationLock = '120351215609202';

/**
 * A statement that waits for a table's lock makes all later ones on that table wait behind it, those of the running
 * services too. So it gives up soon, lets them through, and tries again.
 */
const lockTimeoutMs = 2_000;
const lockTries = 30;
const pauseMs = 1_000;

/** SQLSTATE of a lock that was not had in time. */
const lockNotAvailable = '55P03';

/** Number of the group of migrations, and their names: knex leaves it untyped. */
const latestAnswer = z.tuple([z.number(), z.array(z.string())]);

/**
 * Brings the database to the newest schema; returns the names of the migrations that this call applied, oldest first.
 * Each migration is one transaction, or none where it exports `config = { transaction: false }`. Safe to run from
 * several processes at once: the later ones wait and find nothing to do.
 */
export async function migrate(connectionString: string, options: MigrateOptions = {}): Promise<string[]> {
  const { folder = ownFolder, onWait = () => undefined } = options;
  const database = openForMigrations(connectionString, folder);
  try {
    await lockMigrations(database, onWait);
    await database.migrate.forceFreeMigrationsLock();
    const applied: string[] = [];
    for (;;) {
      const name = await applyNext(database, onWait);
      if (name === undefined) return applied;
      applied.push(name);
    }
  } finally {
    await database.destroy();
  }
}

/**
 * Knex's own lock is a row that a killed process leaves behind for ever. This one ends with the connection, which is
 * the only one: a process that lost the lock cannot go on migrating. It is asked for again and again instead of waited
 * for: a statement that waits has a snapshot, and `create index concurrently` waits for all of those.
 */
async function lockMigrations(database: Knex, onWait: (why: string) => void): Promise<void> {
  const isOurs = async () => {
    const answer: unknown = await database.raw('select pg_try_advisory_lock(?) as ours', [migrationLock]);
    return lockAnswer.parse(answer).rows[0]?.ours === true;
  };
  if (await isOurs()) return;
  onWait('another process migrates, waiting for its end');
  do await sleep(pauseMs);
  while (!(await isOurs()));
}

const lockAnswer = z.object({ rows: z.array(z.object({ ours: z.boolean() })) });

/** Applies the oldest migration that is missing; returns its name, or undefined if none is. */
async function applyNext(database: Knex, onWait: (why: string) => void): Promise<string | undefined> {
  for (let tried = 1; ; tried += 1) {
    try {
      const [, [name]] = latestAnswer.parse(await database.migrate.up({ beforeEach: boundWaiting }));
      return name;
    } catch (error) {
      if (!isLockTimeout(error) || tried === lockTries) throw error;
      onWait(`a table was in use for ${lockTimeoutMs} ms, try ${tried} of ${lockTries}: letting its users through`);
      await sleep(pauseMs);
    }
  }
}

/** What runs outside of a transaction, as `create index concurrently`, makes no other statement wait. */
async function boundWaiting(database: Knex | Knex.Transaction): Promise<void> {
  if (database.isTransaction === true) await database.raw(`set local lock_timeout = ${lockTimeoutMs}`);
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === lockNotAvailable;
}

/**
 * Knex bound to a folder. Its CLI and TypeScript modules disagree, so the programmatic interface is the only way in.
 */
export function openForMigrations(connectionString: string, folder: URL = ownFolder): Knex {
  return knex({
    client: 'pg',
    connection: connectionString,
    pool: { min: 1, max: 1 },
    // What fails is thrown; knex would print each failed try as well.
    log: { warn: () => undefined },
    migrations: { migrationSource: migrationsIn(folder) },
  });
}

/** Names of the migrations that this version brings, oldest first. */
export async function knownMigrations(): Promise<string[]> {
  return (await migrationFiles(ownFolder)).map(nameOf);
}

async function migrationFiles(folder: URL): Promise<string[]> {
  return (await readdir(folder)).filter((file) => /^\d{14}_.*\.ts$/.test(file)).sort();
}

function nameOf(file: string): string {
  return file.replace(/\.ts$/, '');
}

function migrationsIn(folder: URL): Knex.MigrationSource<string> {
  return {
    getMigrations: () => migrationFiles(folder),
    getMigrationName: nameOf,
    getMigration: async (file) => {
      const loaded: unknown = await import(new URL(file, folder).href);
      if (!isMigration(loaded)) throw new Error(`migrations/${file} does not export a function up`);
      return { up: loaded.up, down: refuseToGoDown, config: loaded.config };
    },
  };
}

/** @property config read by knex, which leaves it out of its types */
interface Migration {
  up: Knex.Migration['up'];
  config?: { transaction?: boolean };
}

function isMigration(loaded: unknown): loaded is Migration {
  return typeof loaded === 'object' && loaded !== null && 'up' in loaded && typeof loaded.up === 'function';
}

/** Knex wants one. To go back is to start the version before on the schema that is there. */
function refuseToGoDown(): Promise<never> {
  return Promise.reject(new Error('the schema only goes up'));
}
