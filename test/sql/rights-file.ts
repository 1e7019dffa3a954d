import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import { grantsSql, nameOfRole } from '../../shared/postgres/roles/grants.ts';
import { isPlanned, type Derived, type RoleRights } from './derive-rights.ts';

const place = 'shared/postgres/roles/rights.ts';

/**
 * Lets Postgres plan each statement under the role of its processes, with the rights that `muster grants` prints.
 * Postgres refuses a statement whose right is missing. No statement is executed.
 */
export async function tryUnderRoles(client: Client, textsOf: Derived['textsOf']): Promise<string[]> {
  await client.query(grantsSql('checked'));
  // A connection owns its temporary tables.
  await client.query(`do $$ begin
    execute format('grant all on all tables in schema %s to checked_api', pg_my_temp_schema()::regnamespace);
  end $$`);
  const problems: string[] = [];
  for (const role of ['engine', 'api'] as const) {
    await client.query(`set role ${nameOfRole('checked', role)}`);
    for (const text of new Set(textsOf[role])) {
      if (!isPlanned(text)) continue;
      await client.query(`explain (generic_plan) ${text}`).catch((error: unknown) => {
        problems.push(`${role}: ${error instanceof Error ? error.message : String(error)}\n${text}\n`);
      });
    }
    await client.query('reset role');
  }
  return problems;
}

/** Compares the rights of the statements with the file that `muster grants` prints from. */
export async function compareRights(root: string, rights: Derived['rights'], write: boolean): Promise<string[]> {
  const wanted = textOf(rights);
  const file = join(root, place);
  if (write) await writeFile(file, wanted);
  const stands = await readFile(file, 'utf8');
  return stands === wanted ? [] : [`${place} is not what the statements need: npm run -s check:sql -- --write`];
}

function textOf(rights: Derived['rights']): string {
  const roles = Object.entries(rights).map(([role, each]) => `  ${role}: {\n${linesOf(each)}  },\n`);
  return `/**
 * Rights of each database role, derived from the statements of its services by \`npm run -s check:sql -- --write\`, and
 * compared with them by each \`npm run check\`. Not written by hand (docs/decisions/0099-database-roles.md).
 */
export const rights = {
${roles.join('')}};
`;
}

function linesOf({ tables, functions }: RoleRights): string {
  const rows = Object.entries(tables).map(([table, verbs]) => `      ${table}: '${verbs}',\n`);
  const called = functions.map((name) => `'${name}'`).join(', ');
  const oneLine = `    functions: [${called}],\n`;
  const several = `    functions: [\n${functions.map((name) => `      '${name}',\n`).join('')}    ],\n`;
  return `    tables: {\n${rows.join('')}    },\n${oneLine.length <= 121 ? oneLine : several}`;
}
