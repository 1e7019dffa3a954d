import { maskedDatabaseUrl } from '../../../../shared/runtime/configuration/database-url.ts';
import { isSecret } from '../../../../shared/runtime/configuration/secrets.ts';
import type { SystemShape } from '../../../../shared/contracts/access/system.ts';

type ConfiguredVariable = NonNullable<SystemShape['configuration']>[number];

/** Returns the values of the variables in this process. For a secret, returns only its length. */
export function readConfiguration(names: readonly string[], environment: NodeJS.ProcessEnv): ConfiguredVariable[] {
  return names.toSorted().map((name) => readVariable(name, environment));
}

function readVariable(name: string, environment: NodeJS.ProcessEnv): ConfiguredVariable {
  const value = environment[name] ?? '';
  const file = environment[`${name}_FILE`] ?? '';
  if (value === '') return { name, value: null, from: file === '' ? 'usual' : 'file', secretLength: null };
  if (!isSecret(name)) return { name, value, from: 'environment', secretLength: null };
  // The address of the database is shown without its password, which is more useful than its length.
  const address = name === 'DATABASE_URL' ? (maskedDatabaseUrl(value) ?? null) : null;
  return { name, value: address, from: 'environment', secretLength: value.length };
}
