import { byHand } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { flag } from '../frame/options.ts';
import { size } from './size-options.ts';

export const heading: Heading = 'Trying it out';

export const commands = byHand({
  name: 'demo',
  description: 'start everything, run a campaign and show it, then keep serving',
  options: {
    ...size,
    chaos: flag('--chaos', 'kill workers while the campaign runs'),
    exit: flag('--exit', 'end after the report'),
  },
  run: async ({ options: { users, workers, chaos = false, exit = false }, context }) =>
    (await import('./demo.ts')).runDemo({ users, workers, chaos, exit }, context),
});
