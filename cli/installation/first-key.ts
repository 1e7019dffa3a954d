import { publicId } from '../../shared/domain/ids/ids.ts';
import type { Role } from '../../shared/domain/roles.ts';
import { createPool } from '../../shared/postgres/connection/pool.ts';
import { addKeyByHand, type KeyByHand } from '../../shared/postgres/registry/add-api-key.ts';
import { commonEnvironment, readEnvironment } from '../../shared/runtime/configuration/environment.ts';
import { issueApiKey } from '../../shared/runtime/installation/api-key-secret.ts';
import { createLogger } from '../../shared/runtime/logger.ts';
import { writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { oneLine } from '../show/text.ts';

export async function createFirstKey(name: string, role: Role, context: CommandContext): Promise<ExitCode> {
  const { DATABASE_URL: url } = readEnvironment(commonEnvironment.pick({ DATABASE_URL: true }), context.environment);
  const { key, secret } = await makeKeyByHand(url, { name, role, by: 'muster first-key' });
  const id = publicId('apiKey', key);
  context.terminal.note(`${id} ${oneLine(name)}, ${role}: keep it, it is not shown again\n`);
  writeData(context, { id, name, role, secret }, () => `${secret}\n`);
  return exitCodes.ok;
}

/** Creates a key directly in the database, before the API runs or the first key exists. */
export async function makeKeyByHand(connectionString: string, wanted: Omit<KeyByHand, 'key' | 'digest'>) {
  const pool = createPool({
    connectionString,
    applicationName: 'muster-cli',
    max: 1,
    logger: createLogger('cli', 'silent'),
  });
  try {
    const { key, secret, digest } = issueApiKey();
    await addKeyByHand(pool, { key, digest, ...wanted });
    return { key, secret };
  } finally {
    await pool.end();
  }
}
