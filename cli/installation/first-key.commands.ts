import { roles } from '../../shared/domain/roles.ts';
import { byHand } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { usually } from '../frame/options.ts';

export const heading: Heading = 'Installation';

export const commands = byHand({
  name: 'first-key',
  args: ['<name>'],
  description:
    'make a key to the API straight on the database, and print it once; from it, muster api-keys makes others',
  options: {
    role: usually('--role <role>', 'what it may do, for everything', {
      among: roles,
      usual: 'operator',
    }),
  },
  run: async ({ args: [name], options: { role }, context }) =>
    (await import('./first-key.ts')).createFirstKey(name, role, context),
});
