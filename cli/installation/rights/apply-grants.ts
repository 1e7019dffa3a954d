import { z } from 'zod';
import { grantsSql, nameOfRole } from '../../../shared/postgres/roles/grants.ts';
import { ownSchemaSql, passwordSql } from '../../../shared/postgres/roles/role-passwords.ts';
import { ConfigurationError } from '../../../shared/runtime/configuration/configuration-error.ts';
import { readEnvironment } from '../../../shared/runtime/configuration/environment.ts';
import { writeData, type CommandContext } from '../../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../../frame/exit-codes.ts';
import { withDatabase } from '../configuration/config.ts';

const passwordOf = (role: string) =>
  z.string().min(16).optional().describe(`Password that \`muster grants --apply\` gives the role ${role}`);

export const rolePasswordsEnvironment = z.object({
  MUSTER_OWNER_PASSWORD: passwordOf('owner'),
  MUSTER_ENGINE_PASSWORD: passwordOf('engine'),
  MUSTER_API_PASSWORD: passwordOf('api'),
  MUSTER_READER_PASSWORD: passwordOf('reader'),
  MUSTER_SANDBOX_PASSWORD: passwordOf('sandbox, which has a schema of its own and reaches nothing of Muster'),
  MUSTER_CONNECTORS_PASSWORD: passwordOf('connectors, which has the schema `connectors` and reaches nothing else'),
});

/**
 * Creates the roles in the database of DATABASE_URL, whose user must be a superuser. Sets passwords from the
 * environment. May be repeated, also with other passwords.
 */
export async function applyGrants(prefix: string, context: CommandContext): Promise<ExitCode> {
  const read = readEnvironment(rolePasswordsEnvironment, context.environment);
  const given = [
    ['owner', read.MUSTER_OWNER_PASSWORD],
    ['engine', read.MUSTER_ENGINE_PASSWORD],
    ['api', read.MUSTER_API_PASSWORD],
    ['reader', read.MUSTER_READER_PASSWORD],
  ] as const;
  const passwords = given.flatMap(([role, password]) =>
    password === undefined ? [] : [[nameOfRole(prefix, role), password] as const],
  );
  const guests = [
    { role: `${prefix}_sandbox`, schema: `${prefix}_sandbox`, password: read.MUSTER_SANDBOX_PASSWORD },
    { role: `${prefix}_connectors`, schema: 'connectors', password: read.MUSTER_CONNECTORS_PASSWORD },
  ].flatMap(({ password, ...guest }) => (password === undefined ? [] : [{ ...guest, password }]));
  if (passwords.length === 0)
    throw new ConfigurationError('no role has a password: set MUSTER_OWNER_PASSWORD and others');
  await withDatabase(context, async (pool) => {
    await pool.query(grantsSql(prefix));
    for (const { role, schema } of guests) await pool.query(ownSchemaSql(role, schema));
    for (const [role, password] of passwords) await pool.query(passwordSql(role, password));
    for (const { role, password } of guests) await pool.query(passwordSql(role, password));
  });
  const roles = [...passwords.map(([role]) => role), ...guests.map(({ role }) => role)];
  writeData(context, { roles }, () => roles.map((role) => `${role}\n`).join(''));
  return exitCodes.ok;
}
