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

/** A PostgreSQL without a Kafka beside it; it ends with this process, however that ends. */
export async function startPostgresAlone(settings: Readonly<Record<string, string | number>>): Promise<PostgresAlone> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const guardian = createGuardian(folder);
  try {
    // PostgreSQL may run as another user, who must get through.
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
