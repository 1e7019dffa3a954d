import { shownDatabaseUrl } from '../../../../shared/runtime/configuration/database-url.ts';
import { isSecret } from '../../../../shared/runtime/configuration/secrets.ts';
import type { SystemShape } from '../../../../shared/contracts/access/system.ts';

type Shown = NonNullable<SystemShape['configuration']>[number];

/** What this process was given of these variables. No secret is among the values: only how long it is. */
export function shownConfiguration(names: readonly string[], environment: NodeJS.ProcessEnv): Shown[] {
  return names.toSorted().map((name) => shownVariable(name, environment));
}

function shownVariable(name: string, environment: NodeJS.ProcessEnv): Shown {
  const value = environment[name] ?? '';
  const file = environment[`${name}_FILE`] ?? '';
  if (value === '') return { name, value: null, from: file === '' ? 'usual' : 'file', secretLength: null };
  if (!isSecret(name)) return { name, value, from: 'environment', secretLength: null };
  // Where the database is says more than how long its address is.
  const address = name === 'DATABASE_URL' ? (shownDatabaseUrl(value) ?? null) : null;
  return { name, value: address, from: 'environment', secretLength: value.length };
}
