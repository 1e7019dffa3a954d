import { startInfrastructure, type Infrastructure } from '../../shared/infrastructure/infrastructure.ts';

/**
 * Starts Kafka and Postgres for tests. A local Postgres does not wait for the disk at a commit: committed data still
 * survives the end of all its processes, and a commit takes a tenth of the time.
 */
export function startTestServers(): Promise<Infrastructure> {
  const report = (line: string) => process.stderr.write(`${line}\n`);
  const postgresSettings = { fsync: 'off', full_page_writes: 'off' };
  return startInfrastructure({ environment: process.env, report, postgresSettings });
}
