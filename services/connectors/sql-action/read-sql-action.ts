import type { z } from 'zod';
import type { EntryTerms } from '../actions/entry-terms.ts';
import { parameters, unknownParameters } from '../databases/placeholders.ts';
import type { SqlActionSettings } from '../databases/target.port.ts';
import { requireDatabase } from '../databases/require-database.ts';
import type { sqlAction } from './sql-action.contract.ts';

export function readSqlAction(
  { timeoutSeconds, ...others }: z.infer<typeof sqlAction>,
  { id, field, databases, problems }: EntryTerms,
): SqlActionSettings {
  requireDatabase(databases, { field: `${field}.database`, database: others.database, problems });
  for (const [place, statement] of others.statements.entries()) {
    for (const unknown of unknownParameters(statement)) {
      const known = parameters.map((each) => `:${each}`).join(', ');
      problems.add(`${field}.statements.${place} has to name one of ${known}, not ":${unknown}"`);
    }
  }
  return { form: 'statements', ...others, id, timeoutMs: timeoutSeconds * 1000 };
}
