import { activateRegion, enableHost, getScheduler, switchRegion } from '../../sdk/generated/sdk.gen.ts';
import type { Region } from '../../sdk/generated/types.gen.ts';
import { command } from '../frame/command-table.ts';
import { text } from '../frame/options.ts';
import { tableOf } from '../show/tables.ts';
import { regionColumns, renderScheduler } from './render.ts';

const reason = { reason: text('--reason <text>', 'for whoever reads it later') };
const regionTable = tableOf<Region>('', regionColumns);

const scheduler = command({
  name: 'scheduler',
  said: 'who looks at due jobs and who calls them: regions, nodes, partitions, hosts, backlog, lag',
  ask: ({ client }) => getScheduler({ client }),
  shown: renderScheduler,
});

const change = command({
  name: 'switch',
  args: ['<region>'],
  said: 'make it the only one: from the answer on, claims of all others are refused',
  options: reason,
  ask: ({ client, args: [region], options: body }) => switchRegion({ client, path: { region }, body }),
  shown: regionTable,
});

const activate = command({
  name: 'activate',
  args: ['<region>'],
  said: 'let it take part again',
  options: reason,
  ask: ({ client, args: [region] }) => activateRegion({ client, path: { region } }),
  shown: regionTable,
});

const regions = command({
  name: 'regions',
  said: 'where jobs are offered and claimed',
  ask: async ({ client }) => ({ data: { items: (await getScheduler({ client })).data.regions } }),
  shown: regionTable,
  commands: [change, activate],
});

const host = command({
  name: 'enable-host',
  args: ['<client>', '<host>'],
  said: 'bring back the jobs of a host that is left alone, without waiting for it to be tried',
  options: { endpoint: text('--endpoint <name>', 'of its client, whose jobs wait for the host') },
  ask: ({ client, args: [owner, name], options }) =>
    enableHost({ client, body: { client: owner, host: name, ...options } }),
  shown: (enabled) => `${enabled.host}: its jobs are brought back\n`,
});

export const commands = [scheduler, regions, host];
