import { byHand } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { text } from '../frame/options.ts';

export const heading: Heading = 'Installation';

export const commands = byHand({
  name: 'migrate',
  description: 'migrate the database to the newest schema',
  options: { roles: text('--roles <prefix>', 'grant the roles of muster grants their rights on the schema') },
  run: async ({ options: { roles }, context }) => (await import('./migrate.ts')).migrateDatabase(roles, context),
});
