import { byHand } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { flag } from '../frame/options.ts';
import { size, sizeOf } from './size-options.ts';

export const heading: Heading = 'Trying it out';

export const commands = byHand({
  name: 'demo',
  description: 'start all services, run a campaign, and keep the services running',
  options: {
    ...size,
    chaos: flag('--chaos', 'kill workers during the campaign'),
    exit: flag('--exit', 'exit after the report'),
  },
  run: async ({ options, context }) => {
    const { shop = false, chaos = false, exit = false } = options;
    const wanted = { ...sizeOf(options), chaos, exit };
    return shop
      ? (await import('./shop-demo.ts')).runShopDemo(wanted, context)
      : (await import('./demo.ts')).runDemo(wanted, context);
  },
});
