import { randomBytes } from 'node:crypto';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { ConfigurationError } from '../runtime/configuration/configuration-error.ts';
import { findFreePorts } from './free-ports.ts';
import { definedOnly, type GuardedProcess, type Guardian } from './guarded-processes.ts';
import type { LocalServer } from './local-server.ts';
import { fetchPostgresBinaries, findPostgresUser, isOpenToEveryone, openToEveryone } from './postgres-binaries.ts';
import { databaseLocale, postgresArguments } from './server-settings.ts';
import { isMemoryHeld, readLog, waitUntilReady, failureLineOf } from './server-log.ts';

/** A slow machine needs minutes. A server that ends is detected at once. */
const startDeadlineMs = 10 * 60_000;
const name = 'muster';

export interface LocalPostgresDeps {
  folder: string;
  environment: NodeJS.ProcessEnv;
  guardian: Guardian;
  report: (line: string) => void;
  postgresSettings: Readonly<Record<string, string | number>>;
  /** Password of the server's only user; random at each start by default. */
  password?: string;
}

interface Installation extends LocalPostgresDeps {
  binaries: string;
  user: { uid: number; gid: number } | undefined;
  port: number;
  password: string;
}

/** Starts PostgreSQL 18 on 127.0.0.1, with an empty database. Root runs it as the user `postgres`, else `nobody`. */
export async function startLocalPostgres(
  deps: LocalPostgresDeps,
): Promise<{ databaseUrl: string; server: LocalServer }> {
  const [found, user, [port = 0]] = await Promise.all([
    fetchPostgresBinaries(deps),
    findPostgresUser(),
    findFreePorts(1),
  ]);
  if (user !== undefined && !(await isOpenToEveryone(deps.folder))) {
    throw new ConfigurationError(`PostgreSQL, which is not run as root, cannot get into ${deps.folder}: TMPDIR=/tmp`);
  }
  const binaries = user === undefined ? found : await openToEveryone(found, join(deps.folder, 'postgres-binaries'));
  const installation = { password: randomBytes(16).toString('hex'), ...deps, binaries, user, port };
  await initialise(installation);
  const server = await startServer(installation);
  await query(installation, 'postgres', `create database ${name}`);
  return { databaseUrl: urlOf(installation, name), server };
}

async function initialise(installation: Installation): Promise<void> {
  const { folder, user, password } = installation;
  const own = join(folder, 'postgres');
  const passwordFile = join(own, 'password');
  await mkdir(own, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (user !== undefined) {
    for (const path of [own, passwordFile]) await chown(path, user.uid, user.gid);
  }
  const initialising = await startBinary(installation, 'initdb', [
    '--pgdata=data',
    `--username=${name}`,
    '--pwfile=password',
    '--auth=scram-sha-256',
    ...databaseLocale,
    // initdb need not flush its files to disk, because the folder is deleted at the end. The server itself does flush
    // (fsync is on).
    '--no-sync',
  ]);
  const exit = await initialising.exited;
  if (exit.clean) return;
  throw new Error(
    `PostgreSQL could not set up its folder (${exit.how}): ${await failureLineOf(logOf(installation, 'initdb'))}`,
  );
}

async function startServer(installation: Installation): Promise<LocalServer> {
  let process = await start(installation);
  return {
    pid: () => process.pid,
    signal: (signal) => process.signal(signal),
    exited: () => process.exited.then(() => undefined),
    restart: async () => {
      process.signal('SIGKILL');
      await process.exited;
      process = await startAgain(installation);
    },
  };
}

/** Retries the start: sessions of a killed server end a moment after it, and hold its shared memory until then. */
async function startAgain(installation: Installation): Promise<GuardedProcess> {
  const giveUpAt = performance.now() + startDeadlineMs;
  for (;;) {
    try {
      return await start(installation);
    } catch (error) {
      const isHeld = isMemoryHeld(await readLog(logOf(installation, 'postgres')));
      if (!isHeld || performance.now() > giveUpAt) throw error;
    }
  }
}

async function start(installation: Installation): Promise<GuardedProcess> {
  const settings = {
    ...installation.postgresSettings,
    port: installation.port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
  };
  const process = await startBinary(installation, 'postgres', [
    '-D',
    join(installation.folder, 'postgres', 'data'),
    ...postgresArguments(settings),
  ]);
  await waitUntilReady({
    server: 'PostgreSQL',
    process,
    logFile: logOf(installation, 'postgres'),
    isReady: () =>
      query(installation, 'postgres', 'select 1').then(
        () => true,
        () => false,
      ),
    deadlineMs: startDeadlineMs,
  });
  return process;
}

function startBinary(
  installation: Installation,
  binary: 'initdb' | 'postgres',
  args: string[],
): Promise<GuardedProcess> {
  const { binaries, folder, environment, guardian, user } = installation;
  return guardian.start({
    command: join(binaries, 'bin', binary),
    args,
    cwd: join(folder, 'postgres'),
    env: { ...definedOnly(environment), LC_ALL: 'C' },
    logFile: logOf(installation, binary),
    // SIGQUIT lets PostgreSQL remove its shared memory, which SIGKILL would leave behind.
    endSignal: 'SIGQUIT',
    ...(user && { user }),
  });
}

function logOf({ folder }: Installation, binary: string): string {
  return join(folder, `${binary}.log`);
}

async function query(installation: Installation, database: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(installation, database), connectionTimeoutMillis: 5000 });
  // A connection that breaks while idle would end this process; the query's rejection reports the error.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function urlOf({ port, password }: Installation, database: string): string {
  return `postgres://${name}:${password}@127.0.0.1:${port}/${database}`;
}
