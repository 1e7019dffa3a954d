import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFile, chmod, chown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createGuardian, type Guardian } from '../../shared/infrastructure/guarded-processes.ts';
import { startLocalPostgres } from '../../shared/infrastructure/local-postgres.ts';
import { until } from '../faults/support/until.ts';
import { freezeProcesses, thawProcesses } from './freeze-processes.ts';
import { connectClient } from '../../shared/postgres/connection/servers/servers.ts';

export interface PairedServer {
  /** Address of this server only. */
  readonly url: string;
  /** Address as `host:port`. */
  readonly name: string;
  /** Ends the sessions of the server, sends all commits to its standby, and stops. */
  stop(): Promise<void>;
  /** Keeps the sessions, but does not answer new connections. */
  freezeDoor(): void;
  thawDoor(): void;
  /** Starts as the standby of the other server. Resolves when it receives the writes of the other. */
  follow(): Promise<void>;
  /** Resolves when the server accepts writes. */
  promote(): Promise<void>;
}

/** Two PostgreSQL servers: the first is the leader, the other its standby. There is no proxy before them. */
export interface PostgresPair {
  /** Address that names both servers. */
  readonly databaseUrl: string;
  readonly one: PairedServer;
  readonly two: PairedServer;
  end(): Promise<void>;
}

type Started = Awaited<ReturnType<typeof startLocalPostgres>> & { data: string };

export async function startPostgresPair(): Promise<PostgresPair> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-pair-'));
  await chmod(folder, 0o755);
  const guardian = createGuardian(folder);
  try {
    return await start(folder, guardian);
  } catch (error) {
    await guardian.end();
    throw error;
  }
}

async function start(folder: string, guardian: Guardian): Promise<PostgresPair> {
  const password = randomBytes(16).toString('hex');
  const startServer = async (name: string): Promise<Started> => {
    const own = join(folder, name);
    await mkdir(own);
    const terms = {
      folder: own,
      environment: process.env,
      guardian,
      postgresSettings: {},
      password,
      report: (line: string) => process.stderr.write(`${line}\n`),
    };
    return { ...(await startLocalPostgres(terms)), data: join(own, 'postgres', 'data') };
  };
  const [first, second] = [await startServer('one'), await startServer('two')];
  const [one, two] = [pairedServer(first, second), pairedServer(second, first)];

  await Promise.all([one.stop(), two.stop()]);
  await rm(second.data, { recursive: true });
  await promisify(execFile)('cp', ['-a', first.data, second.data]);
  await first.server.restart();
  await two.follow();
  const { host } = new URL(two.url);
  return { databaseUrl: one.url.replace(`${one.name}/`, `${one.name},${host}/`), one, two, end: () => guardian.end() };
}

function pairedServer({ databaseUrl, server, data }: Started, other: Started): PairedServer {
  const endBy = async (signal: NodeJS.Signals) => {
    process.kill(server.pid(), signal);
    await server.exited();
  };
  return {
    url: databaseUrl,
    name: new URL(databaseUrl).host,
    stop: () => endBy('SIGINT'),
    freezeDoor: () => freezeProcesses(server.pid()),
    thawDoor: () => thawProcesses(server.pid()),
    follow: async () => {
      const { hostname, port, username, password } = new URL(other.databaseUrl);
      const leader = `host=${hostname} port=${port} user=${username} password=${password}`;
      await appendFile(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${leader}'\n`);
      const signal = join(data, 'standby.signal');
      await writeFile(signal, '');
      // The server has to remove the file, and does not run as root.
      const { uid, gid } = await stat(data);
      await chown(signal, uid, gid);
      await server.restart();
      const client = await connectClient(other.databaseUrl);
      try {
        const text = `select from pg_stat_replication where state = 'streaming'`;
        await until('the standby follows', async () => (await client.query(text)).rowCount === 1);
      } finally {
        await client.end();
      }
    },
    promote: async () => {
      const client = await connectClient(databaseUrl);
      await client.query('select pg_promote()');
      await client.end();
    },
  };
}
