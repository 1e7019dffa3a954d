import { byHand } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { text } from '../frame/options.ts';

export const heading: Heading = 'Installation';

export const commands = byHand({
  name: 'migrate',
  description: 'bring the database to the newest schema',
  options: { roles: text('--roles <prefix>', 'give the roles of muster grants what they need of it') },
  run: async ({ options: { roles }, context }) => (await import('./migrate.ts')).migrateDatabase(roles, context),
});
