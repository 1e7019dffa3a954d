import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePorts } from '../../shared/infrastructure/free-ports.ts';
import { createGuardian } from '../../shared/infrastructure/guarded-processes.ts';
import mysql from 'mysql2/promise';

/** A separate MariaDB of the Debian package, with an empty database. */
export interface MariaDb {
  /** `mysql://root@127.0.0.1:port/shop` */
  url: string;
  run(...statements: string[]): Promise<void>;
  query(statement: string): Promise<unknown[]>;
  end(): Promise<void>;
}

/** @throws if MariaDB is not installed */
export async function startMariaDb(): Promise<MariaDb> {
  if (spawnSync('mariadbd', ['--version']).status !== 0)
    throw new Error('MariaDB is not installed: apt-get install mariadb-server-core mariadb-client-core');
  const folder = mkdtempSync(join(tmpdir(), 'muster-mariadb-'));
  chmodSync(folder, 0o755);
  const guardian = createGuardian(folder);
  try {
    const data = join(folder, 'data');
    // A server that starts deletes all temporary tables in its temporary folder, so each server needs its own.
    const asRoot = process.getuid?.() === 0 ? ['--user=root'] : [];
    const [port = 0] = await findFreePorts(1);
    const installed = spawnSync(
      'mariadb-install-db',
      ['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal', '--skip-test-db', ...asRoot],
      { encoding: 'utf8', env: { ...process.env, TMPDIR: folder } },
    );
    if (installed.status !== 0) throw new Error(`mariadb-install-db: ${installed.stdout}${installed.stderr}`);
    await guardian.start({
      command: 'mariadbd',
      args: [
        '--no-defaults',
        `--datadir=${data}`,
        `--socket=${join(folder, 'socket')}`,
        `--port=${port}`,
        '--bind-address=127.0.0.1',
        '--skip-log-bin',
        '--innodb-flush-log-at-trx-commit=2',
        '--innodb-buffer-pool-size=64M',
        // Differs from the encoding of users on purpose, because it must have no effect.
        '--character-set-server=latin1',
        ...asRoot,
      ],
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', TMPDIR: folder },
      logFile: join(folder, 'mariadb.log'),
      endSignal: 'SIGTERM',
    });
    const at = `mysql://root@127.0.0.1:${port}`;
    await untilAnswers(at);
    const query = (url: string) => async (statement: string) => {
      const connection = await mysql.createConnection({ uri: url });
      try {
        const [rows] = await connection.query<mysql.RowDataPacket[]>(statement);
        return rows;
      } finally {
        await connection.end();
      }
    };
    const shop = query(`${at}/shop`);
    const run = async (...statements: string[]) => {
      for (const statement of statements) await shop(statement);
    };
    await query(at)('create database shop character set utf8mb4');
    return { url: `${at}/shop`, run, query: shop, end: () => guardian.end() };
  } catch (error) {
    await guardian.end();
    throw error;
  }
}

async function untilAnswers(url: string): Promise<void> {
  const untilMs = Date.now() + 30_000;
  for (;;) {
    try {
      await (await mysql.createConnection({ uri: url })).end();
      return;
    } catch (error) {
      if (Date.now() > untilMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
