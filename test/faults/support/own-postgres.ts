import { chmodSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  end(): Promise<void>;
}

export async function startOwnPostgres(): Promise<OwnPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-faults-'));
  const guardian = createGuardian(folder);
  try {
    chmodSync(folder, 0o755);
    const { databaseUrl, server } = await startLocalPostgres({
      folder,
      environment: process.env,
      guardian,
      postgresSettings: {},
    });
    const stopBy = async (signal: NodeJS.Signals) => {
      process.kill(server.pid(), signal);
      await server.exited();
    };
    let frozen: number[] = [];
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
