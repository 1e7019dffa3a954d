import { byHand } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';

export const heading: Heading = 'Installation';

export const commands = byHand({
  name: 'restored',
  description:
    'after a restore to an earlier moment: pause the runs that may have served users since then, and list them',
  run: async ({ context }) => (await import('./restored.ts')).settleRestoredDatabase(context),
});
