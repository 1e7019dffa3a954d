import { z } from 'zod';
import {
  addClientKey,
  changeClient,
  createClient,
  deleteClient,
  disableClient,
  enableClient,
  getClient,
  getClientForecast,
  getClientLedger,
  getClientLoad,
  listClients,
  removeClientAuth,
  removeClientKey,
  setClientAuth,
} from '../../sdk/generated/sdk.gen.ts';
import type { Client, ClientPatchInput, NewClientAuthInput, NewClientInput } from '../../sdk/generated/types.gen.ts';
import { inCommands } from '../api/in-commands.ts';
import { command, group } from '../frame/command-table.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { changesFile, contentOf, fieldsFile, readFields } from '../frame/given.ts';
import type { Heading } from '../frame/headings.ts';
import { pages, text, whole } from '../frame/options.ts';
import { left, right, tableOf } from '../show/tables.ts';
import { utcTime } from '../show/times.ts';
import { UsageError } from '../frame/usage-error.ts';
import { endpointCommands } from './endpoint-commands.ts';
import { renderLoad } from './render-load.ts';
import { renderClient, renderForecast, renderLedger } from './render.ts';

const idOf = ({ id }: Client) => `${id}\n`;

const show = command({
  name: 'show',
  args: ['<client>'],
  description: 'one of them: its name or its id',
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
    right('keys', ({ keys }) => keys.length),
    left('state', ({ enabled }) => (enabled ? 'enabled' : 'disabled')),
    left('changed', ({ updatedAt }) => utcTime(updatedAt)),
  ]),
});

const create = command({
  name: 'create',
  args: ['<name>', '[field=value...]'],
  description: 'make one: concurrency=20 publishRatePerSecond=100, or from a file',
  options: fieldsFile,
  ask: async ({ client, args: [name, words], options: { file }, context: { input } }) => {
    const isBare = words.length === 0 && file === undefined;
    const fields = isBare ? {} : await readFields({ words, file, input }, z.custom<Omit<NewClientInput, 'name'>>());
    return createClient({ client, body: { ...fields, name } });
  },
  refused: 'not created',
  render: idOf,
  hint: ({ name }) => `${name} is made; its calls are not signed before muster clients add-key`,
});

const set = command({
  name: 'set',
  args: ['<client>', '[field=value...]'],
  description: 'change fields of one; null takes a field back to what it is for a new one',
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

const disable = command({
  name: 'disable',
  args: ['<client>'],
  description: 'accept and call nothing for it; what is stored waits',
  options: { reason: text('--reason <text>', 'shown to whoever tries') },
  ask: ({ client, args: [id], options: body }) => disableClient({ client, path: { id }, body }),
  refused: 'not disabled',
  render: idOf,
  hint: ({ name }) => `${name} is disabled: what is stored waits`,
});

const enable = command({
  name: 'enable',
  args: ['<client>'],
  description: 'let it go on',
  ask: ({ client, args: [id] }) => enableClient({ client, path: { id } }),
  refused: 'not enabled',
  render: idOf,
  hint: ({ name }) => `${name} is enabled`,
});

const remove = command({
  name: 'delete',
  args: ['<client>'],
  description: 'delete one that is disabled and has no stored jobs, with its schedules; what its jobs came to stays',
  ask: ({ client, args: [id] }) => deleteClient({ client, path: { id } }),
  refused: 'not deleted',
  hint: (_, { args: [id] }) => `${id} is deleted`,
});

const addKey = command({
  name: 'add-key',
  args: ['<client>'],
  description: 'make a key to sign its calls with, and print the secret once; older keys sign too until they expire',
  options: {
    othersExpireInSeconds: whole('--others-expire-in <seconds>', 'a day unless given'),
    secretFile: text('--secret-file <path>', 'take the secret from there instead; - reads standard input'),
  },
  ask: async ({ client, args: [id], options: { secretFile, ...body }, context: { input } }) => {
    const given = secretFile === undefined ? {} : { secret: (await contentOf(secretFile, input)).trim() };
    return addClientKey({ client, path: { id }, body: { ...body, ...given } });
  },
  refused: 'not added',
  render: ({ secret, key }) => `${secret ?? key.id}\n`,
  hint: ({ secret, key }) => (secret === null ? [] : `${key.id}: shown this once`),
});

const removeKey = command({
  name: 'remove-key',
  args: ['<client>', '<key>'],
  description: 'end a key at once, because others know it',
  ask: ({ client, args: [id, keyId] }) => removeClientKey({ client, path: { id, keyId } }),
  refused: 'not removed',
  render: idOf,
  hint: ({ name, warnings }, { args: [, key] }) => [
    `${name} signs without ${key}`,
    ...warnings.map(({ detail }) => inCommands(detail)),
  ],
});

const setAuth = command({
  name: 'set-auth',
  args: ['<client>'],
  description:
    'what dispatchers authorise its calls with: a JSON file with kind, origins and secrets; takes the place of the last',
  options: {
    file: text('--file <path>', '{"kind":"bearer","origins":["https://…"],"token":"…"}; - reads standard input'),
  },
  ask: async ({ client, args: [id], options: { file }, context: { input } }) => {
    if (file === undefined) throw new UsageError('say where it is: --file <path>, or --file - for standard input');
    return setClientAuth({
      client,
      path: { id },
      body: await readFields({ words: [], file, input }, z.custom<NewClientAuthInput>()),
    });
  },
  refused: 'not set',
  render: idOf,
  hint: ({ name }) => `${name} has it; every dispatcher knows in about a second`,
});

const removeAuth = command({
  name: 'remove-auth',
  args: ['<client>'],
  description: 'let its calls go without it',
  ask: ({ client, args: [id] }) => removeClientAuth({ client, path: { id } }),
  refused: 'not removed',
  render: idOf,
  hint: ({ name }) => `${name} has none`,
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
    endpoint: text('--endpoint <name>', 'of jobs that go through it; of those that name none unless given'),
  },
  ask: ({ client, args: [id], options: query }) => getClientForecast({ client, path: { id }, query }),
  render: renderForecast,
});

export const heading: Heading = 'Callbacks';

export const commands = group('clients', 'who schedules callbacks, and by which rules; over the API', [
  ...[list, show, create, set, disable, enable, remove, addKey, removeKey, setAuth, removeAuth, ledger, load],
  forecast,
  ...endpointCommands,
]);
