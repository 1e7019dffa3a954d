import { z } from 'zod';
import {
  changeClient,
  createClient,
  deleteClient,
  getClient,
  getClientForecast,
  getClientLedger,
  getClientLoad,
  listClients,
} from '../../sdk/generated/sdk.gen.ts';
import type { Client, ClientPatchInput, NewClientInput } from '../../sdk/generated/types.gen.ts';
import { command, group } from '../frame/command-table.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { changesFile, fieldsFile, readFields } from '../frame/given.ts';
import type { Heading } from '../frame/headings.ts';
import { pages, text, whole } from '../frame/options.ts';
import { left, right, tableOf } from '../show/tables.ts';
import { utcTime } from '../show/times.ts';
import { renderLoad } from './render-load.ts';
import { renderClient, renderForecast, renderLedger } from './render.ts';

const idOf = ({ id }: Client) => `${id}\n`;

const show = command({
  name: 'show',
  args: ['<client>'],
  description: 'one of them, by its name or its id, with its endpoint default',
  ask: ({ client, args: [id] }) => getClient({ client, path: { id } }),
  render: renderClient,
});

const list = command({
  name: 'list',
  description: 'all of them, oldest first',
  options: pages(50, 1000),
  ask: ({ client, options: query }) => listClients({ client, query }),
  render: tableOf<Client>('no clients', [
    left('name', ({ name }) => name),
    left('id', ({ id }) => id),
    right('keys', ({ endpoint }) => endpoint.keys.length),
    left('state', ({ endpoint }) => (endpoint.enabled ? 'enabled' : 'disabled')),
    left('changed', ({ updatedAt }) => utcTime(updatedAt)),
  ]),
});

const create = command({
  name: 'create',
  args: ['<name>', '[field=value...]'],
  description: 'make one: maxStoredJobs=1000000 endpoint.concurrency=20, or from a file',
  options: fieldsFile,
  ask: async ({ client, args: [name, words], options: { file }, context: { input } }) => {
    const isBare = words.length === 0 && file === undefined;
    const fields = isBare ? {} : await readFields({ words, file, input }, z.custom<Omit<NewClientInput, 'name'>>());
    return createClient({ client, body: { ...fields, name } });
  },
  refused: 'not created',
  render: idOf,
  hint: ({ name }) => `${name} is made; its calls are not signed before muster endpoints add-key ${name}`,
});

const set = command({
  name: 'set',
  args: ['<client>', '[field=value...]'],
  description: 'change limits of one; null takes a field back to what it is for a new one',
  options: changesFile,
  ask: async ({ client, args: [id, words], options: { file }, context: { input } }) =>
    changeClient({
      client,
      path: { id },
      body: await readFields({ words, file, input }, z.custom<ClientPatchInput>()),
    }),
  refused: 'not changed',
  render: idOf,
  hint: ({ name }) => `${name} is changed; everybody knows in about a second`,
});

const remove = command({
  name: 'delete',
  args: ['<client>'],
  description:
    'delete one whose endpoint default is disabled and that has no stored jobs, with its schedules; what its jobs came to stays',
  ask: ({ client, args: [id] }) => deleteClient({ client, path: { id } }),
  refused: 'not deleted',
  hint: (_, { args: [id] }) => `${id} is deleted`,
});

const ledger = command({
  name: 'ledger',
  args: ['<client>'],
  description: 'what became of all jobs that were accepted for it, and whether that adds up',
  ask: ({ client, args: [id] }) => getClientLedger({ client, path: { id } }),
  render: renderLedger,
  code: ({ balanced }) => (balanced ? exitCodes.ok : exitCodes.failure),
});

const load = command({
  name: 'load',
  args: ['<client>'],
  description: 'what waits of it now, and what is called of what may be, by endpoint and by dispatcher',
  ask: ({ client, args: [id] }) => getClientLoad({ client, path: { id } }),
  render: renderLoad,
});

const forecast = command({
  name: 'forecast',
  args: ['<client>'],
  description: 'calls per second in the next hours, by what is stored',
  options: {
    hours: whole('--hours <n>', 'up to 72', 6),
    endpoint: text('--endpoint <name>', 'of jobs that go through it; default unless given'),
  },
  ask: ({ client, args: [id], options: query }) => getClientForecast({ client, path: { id }, query }),
  render: renderForecast,
});

export const heading: Heading = 'Callbacks';

export const commands = group('clients', 'who schedules callbacks, and by which rules; over the API', [
  ...[list, show, create, set, remove, ledger, load, forecast],
]);
