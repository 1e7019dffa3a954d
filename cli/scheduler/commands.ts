import { getScheduler } from '../../sdk/generated/sdk.gen.ts';
import { command } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { renderScheduler } from './render.ts';

export const heading: Heading = 'Callbacks';

export const commands = command({
  name: 'scheduler',
  description: 'show regions, nodes, partitions, hosts, backlog and lag',
  ask: ({ client }) => getScheduler({ client }),
  render: renderScheduler,
});
