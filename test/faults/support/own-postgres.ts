import { execFile } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { createGuardian } from '../../../shared/infrastructure/guarded-processes.ts';
import { startLocalPostgres } from '../../../shared/infrastructure/local-postgres.ts';

/** A PostgreSQL of the test's own, to be crashed and frozen. It ends with the test's process, however that ends. */
export interface OwnPostgres {
  readonly databaseUrl: string;
  /** `pg_ctl -m immediate`: no process says good-bye, and the log is replayed at the next start. */
  crash(): Promise<void>;
  /** `pg_ctl -m fast`: sessions are ended, the server stops in order. */
  stopFast(): Promise<void>;
  start(): Promise<void>;
  /** Stops every process of the server, the sessions' too, in the middle of what they do. */
  freeze(): void;
  thaw(): void;
  /** A base backup, taken while it works, with the log up to its end: what `pg_basebackup -X` writes. */
  backUp(): Promise<void>;
  /** Ends it, puts that backup in the place of its data, and starts it there: all that was committed since is lost. */
  restoreBackup(): Promise<void>;
  end(): Promise<void>;
}

const execute = promisify(execFile);

export async function startOwnPostgres(): Promise<OwnPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-faults-'));
  const guardian = createGuardian(folder);
  try {
    chmodSync(folder, 0o755);
    const { databaseUrl, server } = await startLocalPostgres({
      folder,
      environment: process.env,
      guardian,
      report: (line) => process.stderr.write(`${line}\n`),
      postgresSettings: {},
    });
    const stopBy = async (signal: NodeJS.Signals) => {
      process.kill(server.pid(), signal);
      await server.exited();
    };
    let frozen: number[] = [];
    const data = join(folder, 'postgres', 'data');
    const backup = join(folder, 'postgres', 'backup');
    return {
      databaseUrl,
      crash: () => stopBy('SIGQUIT'),
      stopFast: () => stopBy('SIGINT'),
      start: () => server.restart(),
      freeze: () => {
        // Each session is a process in a group of its own: the group of the server would leave them running.
        frozen = [server.pid(), ...childrenOf(server.pid())];
        for (const pid of frozen) signalIfThere(pid, 'SIGSTOP');
      },
      thaw: () => {
        for (const pid of frozen.toReversed()) signalIfThere(pid, 'SIGCONT');
        frozen = [];
      },
      backUp: async () => {
        rmSync(backup, { recursive: true, force: true });
        const client = new pg.Client({ connectionString: databaseUrl });
        await client.connect();
        try {
          // One session begins and ends it. Segments of its log stay until they are copied.
          await client.query(`alter system set wal_keep_size = '4GB'`);
          await client.query('select pg_reload_conf()');
          await client.query(`select pg_backup_start('fault test', true)`);
          await copyLiving(data, backup);
          const { rows } = await client.query<{ label: string }>(
            'select labelfile as label from pg_backup_stop(wait_for_archive => false)',
          );
          await copyLiving(join(data, 'pg_wal'), join(backup, 'pg_wal'));
          const label = join(backup, 'backup_label');
          writeFileSync(label, rows[0]?.label ?? '');
          // The server renames and flushes it, and is not run as root.
          const { uid, gid } = statSync(data);
          chownSync(label, uid, gid);
          rmSync(join(backup, 'postmaster.pid'), { force: true });
          rmSync(join(backup, 'postmaster.opts'), { force: true });
        } finally {
          await client.end();
        }
      },
      restoreBackup: async () => {
        await stopBy('SIGINT');
        rmSync(data, { recursive: true });
        await rename(backup, data);
        await server.restart();
      },
      end: async () => {
        for (const pid of frozen.toReversed()) signalIfThere(pid, 'SIGCONT');
        await guardian.end();
      },
    };
  } catch (error) {
    await guardian.end();
    throw error;
  }
}

/** Files that go meanwhile need not be there: the log says what became of them. */
async function copyLiving(from: string, to: string): Promise<void> {
  try {
    await execute('cp', ['-aT', from, to], { env: { ...process.env, LC_ALL: 'C' } });
  } catch (error) {
    const reported = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
    const isGone = (line: string) => line.endsWith('No such file or directory');
    const lines = reported.split('\n').filter((line) => line !== '');
    if (lines.length === 0 || !lines.every(isGone)) throw error;
  }
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended in the meantime.
  }
}
