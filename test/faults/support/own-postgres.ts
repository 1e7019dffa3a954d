import { execFile } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { createGuardian } from '../../../shared/infrastructure/guarded-processes.ts';
import { startLocalPostgres } from '../../../shared/infrastructure/local-postgres.ts';
import { freezeProcesses, thawProcesses } from '../../support/freeze-processes.ts';

/** A PostgreSQL of the test's own, to be crashed and frozen. It ends with the test's process, however that ends. */
export interface OwnPostgres {
  readonly databaseUrl: string;
  /** Stops the server by `pg_ctl -m immediate`: without an orderly end, so that the next start replays the log. */
  crash(): Promise<void>;
  /** Stops the server by `pg_ctl -m fast`: sessions are ended, and the server stops in order. */
  stopFast(): Promise<void>;
  start(): Promise<void>;
  /** Freezes all processes of the server, including those of sessions, wherever they are. */
  freeze(): void;
  thaw(): void;
  /** Takes a base backup of the running server, with the log up to its end, like `pg_basebackup -X`. */
  backUp(): Promise<void>;
  /** Ends the server, restores the backup and starts it again. All later commits are lost. */
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
        // Each session is a process in its own group, so a signal to the group of the server would not reach it.
        frozen = [server.pid(), ...childrenOf(server.pid())];
        freezeProcesses(...frozen);
      },
      thaw: () => {
        thawProcesses(...frozen.toReversed());
        frozen = [];
      },
      backUp: async () => {
        rmSync(backup, { recursive: true, force: true });
        const client = new pg.Client({ connectionString: databaseUrl });
        await client.connect();
        try {
          // The same session has to begin and end the backup. The server keeps the segments of its log until they are
          // copied.
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
          // The server has to rename and flush the file, and does not run as root.
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
        thawProcesses(...frozen.toReversed());
        await guardian.end();
      },
    };
  } catch (error) {
    await guardian.end();
    throw error;
  }
}

/**
 * Copies a folder of a running server. Files that disappear meanwhile may be missing, because the log contains their
 * changes.
 */
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
