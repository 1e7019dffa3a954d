import { getScheduler } from '../../sdk/generated/sdk.gen.ts';
import { command } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { renderScheduler } from './render.ts';

export const heading: Heading = 'Callbacks';

export const commands = command({
  name: 'scheduler',
  description: 'who looks at due jobs and who calls them: regions, nodes, partitions, hosts, backlog, lag',
  ask: ({ client }) => getScheduler({ client }),
  render: renderScheduler,
});
