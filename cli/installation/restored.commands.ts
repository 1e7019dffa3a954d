import { byHand } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';

export const heading: Heading = 'Installation';

export const commands = byHand({
  name: 'restored',
  description:
    'after the database was brought back to an earlier moment: pause what may have been served since, and list it',
  run: async ({ context }) => (await import('./restored.ts')).settleRestoredDatabase(context),
});
