import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { brokerAnswers } from './given-servers.ts';
import { startLocalInfrastructure, type LocalInfrastructure } from './local.ts';

const awaiting = { timeout: 20_000, interval: 50 };

/** The folder of the servers' files, in which the tests see any that are left. */
let temporary: string;
const parents: ChildProcess[] = [];
const started: LocalInfrastructure[] = [];

beforeEach(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'muster-local-test-'));
  // PostgreSQL may run as another user.
  vi.stubEnv('TMPDIR', temporary);
  await chmod(temporary, 0o755);
});
afterEach(async () => {
  for (const parent of parents.splice(0)) parent.kill('SIGKILL');
  for (const infrastructure of started.splice(0)) await infrastructure.stop();
  vi.unstubAllEnvs();
  await vi.waitFor(() => rm(temporary, { recursive: true }), awaiting);
});

/** Starts a process that starts the servers, prints their process ids, and then does nothing. */
function startParent(): ChildProcess {
  const local = JSON.stringify(`${import.meta.dirname}/local.ts`);
  const code = `
    const { startLocalInfrastructure } = await import(${local});
    const { kafkaNodes, postgres } = await startLocalInfrastructure({ environment: process.env, report: () => {} });
    console.log(JSON.stringify([postgres.pid(), ...kafkaNodes.map((node) => node.pid())]));
    setInterval(() => {}, 60_000);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  parents.push(parent);
  return parent;
}

async function serversOf(parent: ChildProcess): Promise<number[]> {
  if (parent.stdout === null) throw new Error('the parent has no stdout');
  for await (const line of createInterface(parent.stdout)) return z.array(z.int()).parse(JSON.parse(line));
  throw new Error('the parent ended before its servers ran');
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Returns processes that run in the folder or in a removed folder inside it; none if the system has no /proc. */
async function processesIn(folder: string): Promise<string[]> {
  const pids = await readdir('/proc').catch(() => []);
  const cwds = pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => ''));
  return (await Promise.all(cwds)).filter((cwd) => cwd.startsWith(folder));
}

async function start(nodes: 1 | 3 = 1): Promise<LocalInfrastructure> {
  const infrastructure = await startLocalInfrastructure(
    { environment: process.env, report: () => undefined },
    { nodes },
  );
  started.push(infrastructure);
  return infrastructure;
}

async function query(databaseUrl: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows;
  } finally {
    await client.end();
  }
}

const endings = [
  { how: 'killed', end: (parent: ChildProcess) => parent.kill('SIGKILL') },
  // A terminal does the same at Ctrl-C: every process in the foreground gets the signal.
  { how: 'interrupted', end: ({ pid = 0 }: ChildProcess) => process.kill(-pid, 'SIGINT') },
];

describe('local Kafka and PostgreSQL', () => {
  it.each(endings)('stop and remove their files if their parent was $how', async ({ end }) => {
    const parent = startParent();
    const servers = await serversOf(parent);
    expect(servers.map(isRunning)).toEqual([true, true]);

    end(parent);

    await vi.waitFor(() => expect(servers.filter(isRunning)).toEqual([]), awaiting);
    await vi.waitFor(async () => expect(await readdir(temporary)).toEqual([]), awaiting);
  });

  it('stop and remove their files if their parent was killed during the start', async () => {
    const parent = startParent();
    const folder = await vi.waitFor(async () => {
      const [name = ''] = await readdir(temporary);
      expect(await readdir(join(temporary, name))).toContain('postgres.log');
      return join(temporary, name);
    }, awaiting);

    parent.kill('SIGKILL');

    await vi.waitFor(async () => expect(await readdir(temporary)).toEqual([]), awaiting);
    await vi.waitFor(async () => expect(await processesIn(folder)).toEqual([]), awaiting);
  });

  it('stop and remove their files if one of them could not be started', async () => {
    const environment = { ...process.env, JAVA_HOME: temporary };
    const starting = startLocalInfrastructure({ environment, report: () => undefined });
    await expect(starting).rejects.toThrow(/JAVA_HOME=/);
    expect(await readdir(temporary)).toEqual([]);
  });

  it('restart with their data on the same ports after a kill, and can be stopped twice', async () => {
    const infrastructure = await start();
    const { databaseUrl, brokers, postgres, kafkaNodes } = infrastructure;
    await query(databaseUrl, 'create table kept (n int); insert into kept values (7)');
    const servers = [postgres, ...kafkaNodes];
    for (const server of servers) {
      server.signal('SIGKILL');
      await server.exited();
      await server.restart();
    }
    expect(await query(databaseUrl, 'select n from kept')).toEqual([{ n: 7 }]);
    expect(await Promise.all(brokers.map(brokerAnswers))).toEqual([true]);
    const sorted = `select array_agg(word order by word) as words from (values ('b'), ('a'), ('B'), ('é')) as list (word)`;
    expect(await query(databaseUrl, sorted), 'texts in the order of their bytes').toEqual([
      { words: ['B', 'a', 'b', 'é'] },
    ]);
    expect(await query(databaseUrl, 'show fsync'), 'what is committed is flushed').toEqual([{ fsync: 'on' }]);

    const pids = servers.map((server) => server.pid());
    await infrastructure.stop();
    await infrastructure.stop();

    expect(pids.filter(isRunning)).toEqual([]);
    expect(await readdir(temporary)).toEqual([]);
  });

  it('can be started with three brokers', async () => {
    const { brokers, kafkaNodes } = await start(3);
    expect(await Promise.all(brokers.map(brokerAnswers))).toEqual([true, true, true]);
    kafkaNodes[1]?.signal('SIGKILL');
    await kafkaNodes[1]?.exited();
    expect(await Promise.all(brokers.map(brokerAnswers))).toEqual([true, false, true]);
  });
});
