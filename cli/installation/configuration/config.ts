import { requireDatabase } from '../../../shared/infrastructure/given-servers.ts';
import { applyConfig, readInstallation } from '../../../shared/postgres/registry/installation.ts';
import { createPool } from '../../../shared/postgres/connection/pool.ts';
import { readEngineConfig } from '../../../shared/runtime/configuration/engine-config-file.ts';
import { commonEnvironment, readEnvironment } from '../../../shared/runtime/configuration/environment.ts';
import { installationConfigOf } from '../../../shared/runtime/installation/installation-config.ts';
import { createLogger } from '../../../shared/runtime/logger.ts';
import { writeData, type CommandContext } from '../../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../../frame/exit-codes.ts';

type Pool = ReturnType<typeof createPool>;

/** Stores the settings of called services, from the engine file, in the database of the installation. */
export async function applyEngineConfig(context: CommandContext): Promise<ExitCode> {
  const engine = readEngineConfig(context.environment);
  const changes = await withDatabase(context, (pool) => applyConfig(pool, installationConfigOf(engine), engine));
  if (changes.some((line) => line.startsWith('segmentation.'))) {
    context.terminal.note('restart every service, so that none goes on with what it read before\n');
  }
  writeData(context, { changes }, () => (changes.length === 0 ? 'nothing differs\n' : `${changes.join('\n')}\n`));
  return exitCodes.ok;
}

/** Prints the installation's id and its settings of called services. */
export async function showInstallation(context: CommandContext): Promise<ExitCode> {
  const installation = await withDatabase(context, (pool) => readInstallation(pool));
  writeData(context, installation, () => `${JSON.stringify(installation, undefined, 2)}\n`);
  return exitCodes.ok;
}

export async function withDatabase<Result>(
  { environment }: CommandContext,
  work: (pool: Pool) => Promise<Result>,
): Promise<Result> {
  const { DATABASE_URL } = readEnvironment(commonEnvironment.pick({ DATABASE_URL: true }), environment);
  await requireDatabase({ DATABASE_URL });
  const logger = createLogger('cli', 'silent');
  const pool = createPool({ connectionString: DATABASE_URL, applicationName: 'muster-cli', max: 1, logger });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}
