import { byHand } from '../frame/command-table.ts';
import { flag, within } from '../frame/options.ts';

const size = {
  users: within('--users <n>', 'size of the segment', { least: 1, most: 100_000_000, usual: 125_000 }),
  workers: within('--workers <n>', 'worker processes', { least: 1, most: 64, usual: 2 }),
};

export const commands = [
  byHand({
    name: 'demo',
    said: 'start everything, run a campaign and show it, then keep serving',
    options: {
      ...size,
      chaos: flag('--chaos', 'kill workers while the campaign runs'),
      exit: flag('--exit', 'end after the report'),
    },
    run: async ({ options: { users, workers, chaos = false, exit = false }, context }) =>
      (await import('./demo.ts')).runDemo({ users, workers, chaos, exit }, context),
  }),
  byHand({
    name: 'up',
    said: 'start servers, services and sandbox, and keep serving, for trying by hand',
    options: size,
    run: async ({ options: { users, workers }, context }) =>
      (await import('./up.ts')).runUp({ users, workers }, context),
  }),
];
