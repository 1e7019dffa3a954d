import { startInfrastructure, type Infrastructure } from '../../shared/infrastructure/infrastructure.ts';

/**
 * Kafka and Postgres for tests. A local Postgres leaves it to the system when its files reach the disk: what is
 * committed still outlives any end of its processes, and a commit takes a tenth of the time.
 */
export function startTestServers(): Promise<Infrastructure> {
  const report = (line: string) => process.stderr.write(`${line}\n`);
  const postgresSettings = { fsync: 'off', full_page_writes: 'off' };
  return startInfrastructure({ environment: process.env, report, postgresSettings });
}
