import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import type { ClientBase } from 'pg';
import { z } from 'zod';
import { compareVersions, refusalOf } from '../../domain/versions.ts';
import { schemaOfTables } from '../../runtime/configuration/database-url.ts';
import { packageVersion } from '../../runtime/version.ts';
import { StartRefusedError } from '../../runtime/process/start-refused.ts';
import { schemaProblem, selectRoomForTables } from './room-for-tables.ts';
import { foundByLibrary } from './servers/servers.ts';

export interface MigrateOptions {
  /** Folder of the migrations, with a trailing slash; by default this version's own. */
  folder?: URL;
  /** Schema of the tables, which has to exist. */
  schema?: string;
  version?: string;
  /** Receives a message for people for each wait. */
  onWait?: (why: string) => void;
}

const ownFolder = new URL('../../../migrations/', import.meta.url);

/**
 * Timeout for table locks. A statement that waits for a table's lock makes all later statements on that table wait,
 * including those of running services. So the migration gives up soon, lets them through, and tries again.
 */
const lockTimeoutMs = 2_000;
const lockTries = 30;
const pauseMs = 1_000;

const lockNotAvailable = '55P03';

/** Number of the migration group and the names in it; knex leaves the result untyped. */
const latestAnswer = z.tuple([z.number(), z.array(z.string())]);

/**
 * Migrates the database to the newest schema; returns the names of the migrations applied by this call, oldest first.
 * Each migration is one transaction, or none if it exports `config = { transaction: false }`. Several processes may
 * call it at once: the later ones wait and find nothing to do. If a newer version made the schema and supports this
 * version, there is nothing to do either.
 * @throws {StartRefusedError} if the newer schema does not support this version
 */
export async function migrate(connectionString: string, options: MigrateOptions = {}): Promise<string[]> {
  const { folder = ownFolder, schema, version = packageVersion, onWait = () => undefined } = options;
  const database = openForMigrations(connectionString, folder, schema);
  try {
    if (schema === undefined) await requireRoomForTables(database);
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
    await releaseMigrations(database);
    return applied;
  } finally {
    await database.destroy();
  }
}

/**
 * Acquires the migration lock. Knex's own lock is a row that a killed process leaves behind for ever. This lock ends
 * with the connection, which is the only one: a process that lost the lock cannot continue the migration. The process
 * polls for the lock: a waiting statement holds a snapshot, and `create index concurrently` waits for all snapshots.
 *
 * Any role that may connect can take any advisory lock whose number it knows. So the number is random, in a table that
 * only the owner can read. `pg_locks` shows the number to every role while the lock is held; the holder therefore ends
 * by storing a new one. A process that got the lock by an outdated number releases it.
 */
async function lockMigrations(database: Knex, onWait: (why: string) => void): Promise<void> {
  await addMigrationLock(database);
  for (let tried = 0; !(await isLockOurs(database)); tried += 1) {
    if (tried === 0) onWait('another process migrates, waiting for its end');
    await sleep(pauseMs);
  }
}

/** Changes the lock's number, as the last statement of a holder: other processes may migrate from then on. */
async function releaseMigrations(database: Knex): Promise<void> {
  await database.raw(`update migration_lock set number = ${randomNumber}`);
}

const randomNumber = `('x' || substr(md5(gen_random_uuid()::text), 1, 16))::bit(64)::int8`;

async function isLockOurs(database: Knex): Promise<boolean> {
  const number = await lockNumber(database);
  const answer: unknown = await database.raw('select pg_try_advisory_lock(?) as ours', [number]);
  if (lockAnswer.parse(answer).rows[0]?.ours !== true) return false;
  if ((await lockNumber(database)) === number) return true;
  await database.raw('select pg_advisory_unlock(?)', [number]);
  return false;
}

async function lockNumber(database: Knex): Promise<string> {
  const answer: unknown = await database.raw('select number from migration_lock');
  const [row] = numberAnswer.parse(answer).rows;
  if (!row) throw new Error('the table migration_lock is empty');
  return row.number;
}

/** SQLSTATEs raised if processes create a table at once: the table, its type or its name in the catalog exists. */
const madeAtOnce = new Set(['23505', '42P07', '42710']);

async function addMigrationLock(database: Knex): Promise<void> {
  try {
    // The table exists before the first migration. Only the owner has rights on it.
    await database.raw(
      `create table if not exists migration_lock (
        singleton boolean primary key default true check (singleton), number int8 not null default ${randomNumber})`,
    );
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && madeAtOnce.has(String(error.code)))) throw error;
  }
  await database.raw('insert into migration_lock default values on conflict do nothing');
}

const lockAnswer = z.object({ rows: z.array(z.object({ ours: z.boolean() })) });
const numberAnswer = z.object({ rows: z.array(z.object({ number: z.string() })) });

const madeAnswer = z.object({ rows: z.array(z.object({ version: z.string(), oldest: z.string() })) });

/** Returns the version that changed the schema last; null if none is recorded, or the schema has no such table. */
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

/** Records the version, unless it applied nothing and is not newer than the recorded one. */
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

/** Reads the oldest supported version from the file beside the migrations; without the file, the version itself. */
async function oldestVersion(folder: URL, version: string): Promise<string> {
  const file = new URL('oldest-version', folder);
  return (await readFile(file, 'utf8').catch(() => version)).trim();
}

/** Applies the oldest missing migration. Returns its name, or undefined if none is missing. */
async function applyNext(database: Knex, onWait: (why: string) => void): Promise<string | undefined> {
  let current = '';
  const begin = async (within: Knex | Knex.Transaction, files: readonly unknown[]) => {
    current = files.map((file) => nameOf(String(file))).join(', ');
    await boundWaiting(within);
  };
  for (let tried = 1; ; tried += 1) {
    try {
      const [, [name]] = latestAnswer.parse(await database.migrate.up({ beforeEach: begin }));
      return name;
    } catch (error) {
      if (!isLockTimeout(error) || tried === lockTries) throw new MigrationFailedError(current, error);
      onWait(`a table was in use for ${lockTimeoutMs} ms, try ${tried} of ${lockTries}: letting its users through`);
      await sleep(pauseMs);
    }
  }
}

/** A migration that the database refused. The message contains no SQL, because a migration has many lines. */
export class MigrationFailedError extends Error {
  override readonly name = 'MigrationFailedError';

  constructor(migration: string, cause: unknown) {
    super(`${migration === '' ? 'migrations' : migration}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/** @throws {StartRefusedError} if the tables' schema does not exist, or the role may not create tables in it */
async function requireRoomForTables(database: Knex): Promise<void> {
  const problem = schemaProblem(roomAnswer.parse(await database.raw(selectRoomForTables)).rows[0]);
  if (problem !== undefined) throw new StartRefusedError(problem);
}

const roomAnswer = z.object({ rows: z.array(z.object({ role: z.string(), may: z.boolean().nullable() })) });

/** Limits lock waits in transactions. Outside of one, `create index concurrently` blocks no other statement. */
async function boundWaiting(database: Knex | Knex.Transaction): Promise<void> {
  if (database.isTransaction === true) await database.raw(`set local lock_timeout = ${lockTimeoutMs}`);
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === lockNotAvailable;
}

/** Opens knex for a folder. Its CLI and TypeScript modules disagree: only the programmatic interface works. */
export function openForMigrations(
  connectionString: string,
  folder: URL = ownFolder,
  schema: string = schemaOfTables,
): Knex {
  const { connection, begin } = foundByLibrary(connectionString, { search_path: schema });
  const opened = knex({
    client: 'pg',
    connection,
    compileSqlOnError: false,
    pool: {
      min: 1,
      max: 1,
      afterCreate: (client: ClientBase, done: (error?: Error) => void) => void begin(client).then(() => done(), done),
    },
    // Errors are thrown; knex would print each failed try as well.
    log: { warn: () => undefined },
    // A newer version may have applied migrations that this version does not know.
    migrations: { migrationSource: migrationsIn(folder), disableMigrationsListValidation: true },
  });
  // Knex prefixes the server's message with the whole statement.
  opened.on('query-error', (error: Error, { sql }: { sql: string }) => {
    const before = `${sql} - `;
    if (error.message.startsWith(before)) error.message = error.message.slice(before.length);
  });
  return opened;
}

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

/** @property config read by knex, but missing in its types */
interface Migration {
  up: Knex.Migration['up'];
  config?: { transaction?: boolean };
}

function isMigration(loaded: unknown): loaded is Migration {
  return typeof loaded === 'object' && loaded !== null && 'up' in loaded && typeof loaded.up === 'function';
}

/** Rejects: Knex requires a down function, but to go back, the previous version is started on the current schema. */
function refuseToGoDown(): Promise<never> {
  return Promise.reject(new Error('the schema only goes up'));
}
