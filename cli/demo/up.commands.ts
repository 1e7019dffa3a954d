import { byHand } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { text } from '../frame/options.ts';
import { UsageError } from '../frame/usage-error.ts';
import { size, sizeOf } from './size-options.ts';

export const heading: Heading = 'Trying it out';

export const commands = byHand({
  name: 'up',
  description: 'start servers, services and sandbox, and keep them running',
  options: {
    ...size,
    segmentation: text('--segmentation <url>', 'URL of your own segmentation service, such as the connectors'),
  },
  run: async ({ options, context }) => {
    const { shop = false, segmentation } = options;
    if (shop && segmentation !== undefined) throw new UsageError('--shop has a segmentation service of its own');
    const { runShopUp, runUp } = await import('./up.ts');
    return shop ? runShopUp(sizeOf(options), context) : runUp(sizeOf(options), segmentation, context);
  },
});
