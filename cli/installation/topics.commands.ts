import { byHand } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';

export const heading: Heading = 'Installation';

export const commands = byHand({
  name: 'topics',
  description:
    'create the topics of the configuration and of the calls of a region, and add partitions where there are fewer',
  run: async ({ context }) => (await import('./topics.ts')).ensureTopics(context),
});
