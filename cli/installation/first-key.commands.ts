import { roles } from '../../shared/domain/roles.ts';
import { byHand } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { usually } from '../frame/options.ts';

export const heading: Heading = 'Installation';

export const commands = byHand({
  name: 'first-key',
  args: ['<name>'],
  description: 'create an API key directly in the database, and print it once; muster api-keys creates others',
  options: {
    role: usually('--role <role>', 'role of the key, without a scope', {
      among: roles,
      usual: 'operator',
    }),
  },
  run: async ({ args: [name], options: { role }, context }) =>
    (await import('./first-key.ts')).createFirstKey(name, role, context),
});
