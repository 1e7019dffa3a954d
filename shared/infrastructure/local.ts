import { mkdtempSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError } from '../runtime/configuration/configuration-error.ts';
import { createGuardian } from './guarded-processes.ts';
import { kafkaVersion } from './kafka-artifacts.ts';
import { startLocalKafka, type LocalKafkaOptions } from './local-kafka.ts';
import { startLocalPostgres } from './local-postgres.ts';
import type { LocalServer } from './local-server.ts';
import type { RunningServers } from './running-servers.ts';

export interface LocalInfrastructureDeps {
  environment: NodeJS.ProcessEnv;
  /** Receives a line when a step takes long. */
  report: (line: string) => void;
  /** PostgreSQL settings besides the defaults, such as its memory. */
  postgresSettings?: Readonly<Record<string, string | number>>;
}

export interface LocalInfrastructure extends RunningServers {
  kafkaNodes: LocalServer[];
  postgres: LocalServer;
}

/**
 * Starts real Kafka and PostgreSQL as processes of this machine, on free ports of 127.0.0.1, with their files in a
 * temporary folder. Both end, and the folder is removed, with `stop` or with this process, however it ends.
 */
export async function startLocalInfrastructure(
  { environment, report, postgresSettings = {} }: LocalInfrastructureDeps,
  kafkaOptions: LocalKafkaOptions = { nodes: 1 },
): Promise<LocalInfrastructure> {
  if (process.platform === 'win32') {
    throw new ConfigurationError(
      'local Kafka and PostgreSQL run on Linux and macOS: start Docker Desktop, or work in WSL',
    );
  }
  // The folder and its guardian are created without a pause: the folder never exists without a guardian to remove it.
  const folder = mkdtempSync(join(tmpdir(), 'muster-'));
  const guardian = createGuardian(folder);
  try {
    // PostgreSQL may run as another user, who must be able to enter the folder.
    await chmod(folder, 0o755);
    const deps = { folder, environment, guardian, report, postgresSettings };
    const [kafka, postgres] = await Promise.all([startLocalKafka(kafkaOptions, deps), startLocalPostgres(deps)]);
    return {
      description: `local Kafka ${kafkaVersion} at ${kafka.brokers.join(',')} and PostgreSQL 18 at ${new URL(postgres.databaseUrl).host}`,
      databaseUrl: postgres.databaseUrl,
      brokers: kafka.brokers,
      kafkaNodes: kafka.nodes,
      postgres: postgres.server,
      stop: () => guardian.end(),
    };
  } catch (error) {
    await guardian.end();
    throw error;
  }
}
