import { byHand } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';

export const heading: Heading = 'Installation';

export const commands = byHand({
  name: 'topics',
  description: "create the topics of the configuration and of the region's calls, and add missing partitions",
  run: async ({ context }) => (await import('./topics.ts')).ensureTopics(context),
});
