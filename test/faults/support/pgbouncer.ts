import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePorts, isFree } from '../../../shared/infrastructure/free-ports.ts';
import { createGuardian } from '../../../shared/infrastructure/guarded-processes.ts';
import { findPostgresUser } from '../../../shared/infrastructure/postgres-binaries.ts';
import { until } from './until.ts';

/** A PgBouncer of the Debian package before one server. */
export interface PgBouncer {
  /** Returns the address of the same database and user through PgBouncer. */
  through(databaseUrl: string): string;
  end(): Promise<void>;
}

export interface PgBouncerTerms {
  /** Address with a user that may read the others' passwords, so that they log in with the same ones. */
  databaseUrl: string;
  mode: 'session' | 'transaction' | 'statement';
  /** Session settings that PgBouncer ignores instead of refusing them. */
  ignored?: readonly string[];
}

/** @throws where PgBouncer is not installed */
export async function startPgBouncer({ databaseUrl, mode, ignored = [] }: PgBouncerTerms): Promise<PgBouncer> {
  if (spawnSync('pgbouncer', ['--version']).status !== 0)
    throw new Error('pgbouncer is not installed: apt-get install pgbouncer');
  const folder = mkdtempSync(join(tmpdir(), 'muster-pgbouncer-'));
  const guardian = createGuardian(folder);
  try {
    const server = new URL(databaseUrl);
    const [[port = 0], user] = await Promise.all([findFreePorts(1), findPostgresUser()]);
    const userFile = join(folder, 'users.txt');
    const settings = {
      listen_addr: '127.0.0.1',
      listen_port: port,
      unix_socket_dir: '',
      pool_mode: mode,
      auth_type: 'scram-sha-256',
      auth_file: userFile,
      auth_user: server.username,
      // Connections for each user and database: more than one process of Muster opens.
      default_pool_size: 60,
      max_client_conn: 300,
      ...(ignored.length > 0 && { ignore_startup_parameters: ignored.join(',') }),
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
    const files = {
      'users.txt': `"${server.username}" "${decodeURIComponent(server.password)}"\n`,
      'pgbouncer.ini': [
        '[databases]',
        `* = host=${server.hostname} port=${server.port}`,
        '[pgbouncer]',
        ...lines,
        '',
      ].join('\n'),
    };
    chmodSync(folder, 0o755);
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(folder, name), text, { mode: 0o600 });
      if (user) chownSync(join(folder, name), user.uid, user.gid);
    }
    await guardian.start({
      command: 'pgbouncer',
      args: [join(folder, 'pgbouncer.ini')],
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '' },
      logFile: join(folder, 'pgbouncer.log'),
      endSignal: 'SIGTERM',
      ...(user && { user }),
    });
    await until('pgbouncer takes connections', async () => !(await isFree(port)));
    return {
      through: (url) => {
        const own = new URL(url);
        own.port = String(port);
        own.hostname = '127.0.0.1';
        return own.href;
      },
      end: () => guardian.end(),
    };
  } catch (error) {
    await guardian.end();
    throw error;
  }
}
