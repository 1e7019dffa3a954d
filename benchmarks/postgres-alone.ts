import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGuardian } from '../shared/infrastructure/guarded-processes.ts';
import { startLocalPostgres } from '../shared/infrastructure/local-postgres.ts';

export interface PostgresAlone {
  readonly databaseUrl: string;
  pid(): number;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL without Kafka. It ends with this process, even if the process is killed. */
export async function startPostgresAlone(settings: Readonly<Record<string, string | number>>): Promise<PostgresAlone> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const guardian = createGuardian(folder);
  try {
    // PostgreSQL may run as another user, who needs access to the folder.
    chmodSync(folder, 0o755);
    const { databaseUrl, server } = await startLocalPostgres({
      folder,
      environment: process.env,
      guardian,
      report: console.error,
      postgresSettings: settings,
    });
    return { databaseUrl, pid: () => server.pid(), stop: () => guardian.end() };
  } catch (error) {
    await guardian.end();
    throw error;
  }
}
