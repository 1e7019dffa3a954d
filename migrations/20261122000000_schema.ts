import { readFile } from 'node:fs/promises';
import type { Knex } from 'knex';

/** Each may refer to what those before it make. */
const subjects = [
  'installation',
  'access',
  'campaigns',
  'approvals',
  'templates',
  'action-types',
  'quiet-hours',
  'runs',
  'feeds',
  'steps',
  'users',
  'suppressions',
  'set-aside',
  'partitions',
  'budgets',
  'clients',
  'endpoints',
  'jobs',
  'ordered-jobs',
  'schedules',
  'notices',
  'webhooks',
  'report-links',
  'audience-counts',
  'saved-audiences',
  'named-audiences',
];

/** All tables, functions and views as they first stood, by subject: the files beside this one. */
export async function up(knex: Knex): Promise<void> {
  for (const subject of subjects) {
    await knex.raw(await readFile(new URL(`20261122000000_schema/${subject}.sql`, import.meta.url), 'utf8'));
  }
}
