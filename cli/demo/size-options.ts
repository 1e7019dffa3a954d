import { flag, within } from '../frame/options.ts';

const usual = { sandbox: 125_000, shop: 100_000 };

export const size = {
  users: within(
    '--users <n>',
    `users of the sandbox (default ${usual.sandbox}), or customers of the shop (default ${usual.shop})`,
    {
      least: 1,
      most: 100_000_000,
    },
  ),
  workers: within('--workers <n>', 'number of worker processes', { least: 1, most: 64, usual: 2 }),
  shop: flag('--shop', 'use a shop instead of the sandbox: segments and points by SQL, e-mails in an inbox'),
};

export function sizeOf({ users, workers, shop }: { users?: number; workers: number; shop?: true }) {
  return { users: users ?? (shop ? usual.shop : usual.sandbox), workers };
}
