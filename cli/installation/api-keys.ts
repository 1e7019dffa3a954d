import { publicId, uuidOf } from '../../shared/domain/ids/ids.ts';
import type { Role } from '../../shared/domain/roles.ts';
import type { ApiKeyRecord, ApiKeys } from '../../shared/ports/api-keys.ts';
import { createApiKeys } from '../../shared/postgres/registry/api-keys.ts';
import { createPool } from '../../shared/postgres/connection/pool.ts';
import { digestOfApiKey, newApiKey } from '../../shared/runtime/installation/api-key-secret.ts';
import { commonEnvironment, readEnvironment } from '../../shared/runtime/configuration/environment.ts';
import { createLogger } from '../../shared/runtime/logger.ts';
import { writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { createPaint } from '../show/paint.ts';
import { oneLine } from '../show/text.ts';
import { renderTable } from '../show/tables.ts';
import { UsageError } from '../frame/usage-error.ts';

export async function createKey(name: string, role: Role, context: CommandContext): Promise<ExitCode> {
  const { secret, record } = await withApiKeys(databaseOf(context), (keys) => addApiKey(keys, name, role));
  context.terminal.note(
    `${publicId('apiKey', record.key)} ${oneLine(name)}, ${role}: keep it, it is not shown again\n`,
  );
  writeData(context, { ...shapeOf(record), secret }, () => `${secret}\n`);
  return exitCodes.ok;
}

export async function listKeys(context: CommandContext): Promise<ExitCode> {
  const records = await withApiKeys(databaseOf(context), (keys) => keys.list());
  const shapes = records.map(shapeOf);
  writeData(context, { items: shapes }, () =>
    renderTable(
      ['id', 'name', 'role', 'created', 'revoked'].map((title) => ({ title, align: 'left' })),
      shapes.map(({ id, name, role, createdAt, revokedAt }) => [id, oneLine(name), role, createdAt, revokedAt ?? '']),
      createPaint(context.terminal.colours.out),
    ),
  );
  return exitCodes.ok;
}

export async function revokeKey(id: string, context: CommandContext): Promise<ExitCode> {
  const key = uuidOf('apiKey', id);
  if (key === undefined) throw new UsageError(`${id} is no key's id: it has to look like key_…, as in the list`);
  const revoked = await withApiKeys(databaseOf(context), (keys) => keys.revoke(key));
  if (!revoked) throw new Error(`there is no key ${id}`);
  writeData(context, { id, revoked }, () => `${id} revoked\n`);
  return exitCodes.ok;
}

export async function addApiKey(
  keys: ApiKeys,
  name: string,
  role: Role,
): Promise<{ secret: string; record: ApiKeyRecord }> {
  const secret = newApiKey();
  return { secret, record: await keys.add(name, digestOfApiKey(secret), role) };
}

export async function withApiKeys<Result>(
  connectionString: string,
  work: (keys: ApiKeys) => Promise<Result>,
): Promise<Result> {
  const logger = createLogger('cli', 'silent');
  const pool = createPool({ connectionString, applicationName: 'muster-cli', max: 1, logger });
  try {
    return await work(createApiKeys({ pool }));
  } finally {
    await pool.end();
  }
}

function databaseOf({ environment }: CommandContext): string {
  return readEnvironment(commonEnvironment.pick({ DATABASE_URL: true }), environment).DATABASE_URL;
}

function shapeOf({ key, name, role, createdAt, revokedAt }: ApiKeyRecord) {
  return {
    id: publicId('apiKey', key),
    name,
    role,
    createdAt: createdAt.toISOString(),
    revokedAt: revokedAt?.toISOString() ?? null,
  };
}
