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
  description: 'show a client, by its name or id, with its endpoint `default`',
  ask: ({ client, args: [id] }) => getClient({ client, path: { id } }),
  render: renderClient,
});

const list = command({
  name: 'list',
  description: 'list clients, oldest first',
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
  description: 'create a client: maxStoredJobs=1000000 endpoint.concurrency=20, or from a file',
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
  description: 'change limits of a client; null restores the default of a field',
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
    'delete a client with its schedules, if its endpoint `default` is disabled and no job is stored; outcomes of jobs stay',
  ask: ({ client, args: [id] }) => deleteClient({ client, path: { id } }),
  refused: 'not deleted',
  hint: (_, { args: [id] }) => `${id} is deleted`,
});

const ledger = command({
  name: 'ledger',
  args: ['<client>'],
  description: 'show the outcomes of all accepted jobs, and whether the sums balance',
  ask: ({ client, args: [id] }) => getClientLedger({ client, path: { id } }),
  render: renderLedger,
  code: ({ balanced }) => (balanced ? exitCodes.ok : exitCodes.failure),
});

const load = command({
  name: 'load',
  args: ['<client>'],
  description: 'show waiting jobs and calls in flight, by endpoint and dispatcher',
  ask: ({ client, args: [id] }) => getClientLoad({ client, path: { id } }),
  render: renderLoad,
});

const forecast = command({
  name: 'forecast',
  args: ['<client>'],
  description: 'forecast the calls per second of the next hours from the stored jobs',
  options: {
    hours: whole('--hours <n>', 'up to 72', 6),
    endpoint: text('--endpoint <name>', 'endpoint of the jobs; by default `default`'),
  },
  ask: ({ client, args: [id], options: query }) => getClientForecast({ client, path: { id }, query }),
  render: renderForecast,
});

export const heading: Heading = 'Callbacks';

export const commands = group('clients', 'clients: owners of callbacks, with their limits', [
  ...[list, show, create, set, remove, ledger, load, forecast],
]);
