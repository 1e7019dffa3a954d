import { activateRegion, getScheduler, switchRegion } from '../../sdk/generated/sdk.gen.ts';
import type { Region } from '../../sdk/generated/types.gen.ts';
import { command } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { text } from '../frame/options.ts';
import { tableOf } from '../show/tables.ts';
import { regionColumns } from './render.ts';

const reason = { reason: text('--reason <text>', 'reason, for people') };
const regionTable = tableOf<Region>('', regionColumns);

const change = command({
  name: 'switch',
  args: ['<region>'],
  description: 'make a region the only active one: from the answer on, claims of other regions are refused',
  options: reason,
  ask: ({ client, args: [region], options: body }) => switchRegion({ client, path: { region }, body }),
  render: regionTable,
});

const activate = command({
  name: 'activate',
  args: ['<region>'],
  description: 'activate a region again',
  options: reason,
  ask: ({ client, args: [region] }) => activateRegion({ client, path: { region } }),
  render: regionTable,
});

export const heading: Heading = 'Callbacks';

export const commands = command({
  name: 'regions',
  description: 'regions: where jobs are offered and claimed',
  ask: async ({ client }) => ({ data: { items: (await getScheduler({ client })).data.regions } }),
  render: regionTable,
  commands: [change, activate],
});
