import { requireDatabase } from '../../shared/infrastructure/given-servers.ts';
import { migrate } from '../../shared/postgres/connection/migrate.ts';
import { commonEnvironment, readEnvironment } from '../../shared/runtime/configuration/environment.ts';
import { packageVersion } from '../../shared/runtime/version.ts';
import { writeData, type CommandContext } from '../frame/command-context.ts';
import { withDatabase } from './configuration/config.ts';
import { applyRights } from '../../shared/postgres/roles/grants.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';

/** @param roles prefix of the roles that get their rights after the migration */
export async function migrateDatabase(roles: string | undefined, context: CommandContext): Promise<ExitCode> {
  const { DATABASE_URL } = readEnvironment(commonEnvironment.pick({ DATABASE_URL: true }), context.environment);
  await requireDatabase({ DATABASE_URL });
  const applied = await migrate(DATABASE_URL, { onWait: (why) => context.terminal.note(`${why}\n`) });
  if (roles !== undefined) await withDatabase(context, (pool) => applyRights(pool, roles));
  if (applied.length === 0) context.terminal.note(`the schema has all that Muster ${packageVersion} brings\n`);
  writeData(context, { applied }, () => applied.map((name) => `${name}\n`).join(''));
  return exitCodes.ok;
}
