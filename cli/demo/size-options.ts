import { within } from '../frame/options.ts';

export const size = {
  users: within('--users <n>', 'size of the segment', { least: 1, most: 100_000_000, usual: 125_000 }),
  workers: within('--workers <n>', 'worker processes', { least: 1, most: 64, usual: 2 }),
};
