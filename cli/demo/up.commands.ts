import { byHand } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { size } from './size-options.ts';

export const heading: Heading = 'Trying it out';

export const commands = byHand({
  name: 'up',
  description: 'start servers, services and sandbox, and keep serving, for trying by hand',
  options: size,
  run: async ({ options: { users, workers }, context }) => (await import('./up.ts')).runUp({ users, workers }, context),
});
