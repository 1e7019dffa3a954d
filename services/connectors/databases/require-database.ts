import type { Problems } from '../../../shared/runtime/configuration/configuration-error.ts';

export interface NamedDatabase {
  /** Path of the file and field that refers to the database, for problem messages. */
  field: string;
  database: string;
  problems: Problems;
}

/** Adds a problem if the file defines no database with this name. */
export function requireDatabase(databases: readonly string[], { field, database, problems }: NamedDatabase): void {
  if (databases.includes(database)) return;
  const known = databases.join(', ') || 'none';
  problems.add(`${field} has to be a name from databases (${known}), not ${JSON.stringify(database)}`);
}
