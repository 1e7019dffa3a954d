import { z } from 'zod';
import { grantsSql, nameOfRole } from '../../shared/postgres/roles/grants.ts';
import { passwordSql, sandboxSql } from '../../shared/postgres/roles/role-passwords.ts';
import { ConfigurationError } from '../../shared/runtime/configuration/configuration-error.ts';
import { readEnvironment } from '../../shared/runtime/configuration/environment.ts';
import { writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { withDatabase } from './config.ts';

const passwordOf = (role: string) =>
  z.string().min(16).optional().describe(`Password that \`muster grants --apply\` gives the role ${role}`);

export const rolePasswordsEnvironment = z.object({
  MUSTER_OWNER_PASSWORD: passwordOf('owner'),
  MUSTER_ENGINE_PASSWORD: passwordOf('engine'),
  MUSTER_API_PASSWORD: passwordOf('api'),
  MUSTER_READER_PASSWORD: passwordOf('reader'),
  MUSTER_SANDBOX_PASSWORD: passwordOf('sandbox, which has a schema of its own and reaches nothing of Muster'),
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
  const { MUSTER_SANDBOX_PASSWORD: sandbox } = read;
  if (passwords.length === 0)
    throw new ConfigurationError('no role has a password: set MUSTER_OWNER_PASSWORD and others');
  await withDatabase(context, async (pool) => {
    await pool.query(grantsSql(prefix));
    if (sandbox !== undefined) await pool.query(sandboxSql(`${prefix}_sandbox`));
    for (const [role, password] of passwords) await pool.query(passwordSql(role, password));
    if (sandbox !== undefined) await pool.query(passwordSql(`${prefix}_sandbox`, sandbox));
  });
  const roles = [...passwords.map(([role]) => role), ...(sandbox === undefined ? [] : [`${prefix}_sandbox`])];
  writeData(context, { roles }, () => roles.map((role) => `${role}\n`).join(''));
  return exitCodes.ok;
}
