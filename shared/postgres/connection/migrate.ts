import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import { z } from 'zod';
import { compareVersions, refusalOf } from '../../domain/versions.ts';
import { packageVersion } from '../../runtime/process/version.ts';
import { StartRefusedError } from '../../runtime/process/start-refused.ts';
import { foundByLibrary } from './servers/servers.ts';

export interface MigrateOptions {
  /** Where the migrations are; this version's own unless given. Ends with a slash. */
  folder?: URL;
  /** Of Muster; this one's own unless given. */
  version?: string;
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
 * several processes at once: the later ones wait and find nothing to do. On a schema that a newer version has made
 * there is nothing to do either, as long as that leaves room for this one.
 * @throws {StartRefusedError} where it does not
 */
export async function migrate(connectionString: string, options: MigrateOptions = {}): Promise<string[]> {
  const { folder = ownFolder, version = packageVersion, onWait = () => undefined } = options;
  const database = openForMigrations(connectionString, folder);
  try {
    await lockMigrations(database, onWait);
    await refuseTooOld(database, version);
    await database.migrate.forceFreeMigrationsLock();
    const applied: string[] = [];
    for (;;) {
      const name = await applyNext(database, onWait);
      if (name === undefined) break;
      applied.push(name);
    }
    await noteVersion(database, { version, oldest: await oldestVersion(folder, version), applied });
    return applied;
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

const madeAnswer = z.object({ rows: z.array(z.object({ version: z.string(), oldest: z.string() })) });

/** The version that has changed the schema last; null where none is noted, or the folder's schema has no such table. */
async function readMade(database: Knex) {
  if (!(await hasVersions(database))) return null;
  const text = 'select version, oldest from schema_versions order by migrated_at desc limit 1';
  return madeAnswer.parse(await database.raw(text)).rows[0] ?? null;
}

async function hasVersions(database: Knex): Promise<boolean> {
  return await database.schema.hasTable('schema_versions');
}

async function refuseTooOld(database: Knex, version: string): Promise<void> {
  const refusal = refusalOf(version, { missing: [], made: await readMade(database) });
  if (refusal !== undefined) throw new StartRefusedError(refusal);
}

interface Applied {
  version: string;
  oldest: string;
  applied: readonly string[];
}

/** Who has changed nothing, and is not newer than who has, is not noted. */
async function noteVersion(database: Knex, { version, oldest, applied }: Applied): Promise<void> {
  if (!(await hasVersions(database))) return;
  const made = await readMade(database);
  const isNewer = made === null || compareVersions(version, made.version) > 0;
  if (!isNewer && applied.length === 0) return;
  await database.raw(
    `insert into schema_versions as v (version, oldest, migrations) values (?, ?, ?)
     on conflict (version) do update set oldest = excluded.oldest, migrations = v.migrations || excluded.migrations,
       migrated_by = current_user, migrated_at = clock_timestamp()`,
    [version, oldest, [...applied]],
  );
}

/** As the file beside the migrations says; without one, the version itself. */
async function oldestVersion(folder: URL, version: string): Promise<string> {
  const file = new URL('oldest-version', folder);
  return (await readFile(file, 'utf8').catch(() => version)).trim();
}

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
    connection: foundByLibrary(connectionString),
    pool: { min: 1, max: 1 },
    // What fails is thrown; knex would print each failed try as well.
    log: { warn: () => undefined },
    // A newer version may have brought some that this one does not know.
    migrations: { migrationSource: migrationsIn(folder), disableMigrationsListValidation: true },
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
