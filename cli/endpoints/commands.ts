import { z } from 'zod';
import {
  addClientEndpointKey,
  changeClientEndpoint,
  createClientEndpoint,
  deleteClientEndpoint,
  disableClientEndpoint,
  enableClientEndpoint,
  getClientEndpoint,
  listClientEndpoints,
  removeClientEndpointAuth,
  removeClientEndpointKey,
  setClientEndpointAuth,
} from '../../sdk/generated/sdk.gen.ts';
import type {
  ClientEndpoint,
  ClientEndpointPatchInput,
  NewClientAuthInput,
  NewClientEndpointInput,
} from '../../sdk/generated/types.gen.ts';
import { inCommands } from '../api/in-commands.ts';
import { command, group } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import type { View } from '../show/paint.ts';
import { changesFile, contentOf, fieldsFile, readFields } from '../frame/given.ts';
import { text, whole } from '../frame/options.ts';
import { left, right, tableOf } from '../show/tables.ts';
import { utcTime } from '../show/times.ts';
import { UsageError } from '../frame/usage-error.ts';
import { renderRules } from '../clients/render.ts';
import { endpointPath } from './endpoint-path.ts';

const args = ['<endpoint>'] as const;
const nameOf = ({ name }: ClientEndpoint) => `${name}\n`;

const list = command({
  name: 'list',
  args: ['<client>'],
  description: 'list the endpoints of a client; jobs without an endpoint use `default`',
  ask: ({ client, args: [id] }) => listClientEndpoints({ client, path: { id } }),
  render: tableOf<ClientEndpoint>('no endpoints', [
    left('name', ({ name }) => name),
    left('state', ({ enabled }) => (enabled ? 'enabled' : 'disabled')),
    right('keys', ({ keys }) => keys.length),
    left('changed', ({ updatedAt }) => utcTime(updatedAt)),
    left('url', ({ url }) => url ?? 'of each job'),
  ]),
});

const show = command({
  name: 'show',
  args,
  description: 'show an endpoint; fields that are not shown are those of `default`',
  ask: ({ client, args: [endpoint] }) => getClientEndpoint({ client, path: endpointPath(endpoint) }),
  render: ({ clientId, ...rules }, view: View) => renderRules(rules, clientId, view),
});

const create = command({
  name: 'create',
  args: ['<endpoint>', '[field=value...]'],
  description: 'create an endpoint: orders/billing url=https://… concurrency=5, or from a file',
  options: fieldsFile,
  ask: async ({ client, args: [wanted, words], options: { file }, context: { input } }) => {
    const fields = await readFields({ words, file, input }, z.custom<Omit<NewClientEndpointInput, 'name'>>());
    const { id, endpoint: name } = endpointPath(wanted);
    return createClientEndpoint({ client, path: { id }, body: { ...fields, name } });
  },
  refused: 'not created',
  render: nameOf,
});

const set = command({
  name: 'set',
  args: ['<endpoint>', '[field=value...]'],
  description: 'change fields of an endpoint; null restores the value of `default`, and in `default` the initial value',
  options: changesFile,
  ask: async ({ client, args: [endpoint, words], options: { file }, context: { input } }) =>
    changeClientEndpoint({
      client,
      path: endpointPath(endpoint),
      body: await readFields({ words, file, input }, z.custom<ClientEndpointPatchInput>()),
    }),
  refused: 'not changed',
  render: nameOf,
  hint: (_, { args: [endpoint] }) => `${endpoint} is changed; every process knows in about a second`,
});

const disable = command({
  name: 'disable',
  args,
  description: "disable an endpoint: its jobs wait. `default`: the client's jobs are neither accepted nor called",
  options: { reason: text('--reason <text>', 'reason, shown to callers that schedule jobs for it') },
  ask: ({ client, args: [endpoint], options: body }) =>
    disableClientEndpoint({ client, path: endpointPath(endpoint), body }),
  refused: 'not disabled',
  render: nameOf,
  hint: (_, { args: [endpoint] }) => `${endpoint} is disabled: its jobs wait`,
});

const enable = command({
  name: 'enable',
  args,
  description: 'enable an endpoint again',
  ask: ({ client, args: [endpoint] }) => enableClientEndpoint({ client, path: endpointPath(endpoint) }),
  refused: 'not enabled',
  render: nameOf,
  hint: (_, { args: [endpoint] }) => `${endpoint} is enabled`,
});

const remove = command({
  name: 'delete',
  args,
  description: 'delete an endpoint that no open job or schedule names; `default` cannot be deleted',
  ask: ({ client, args: [endpoint] }) => deleteClientEndpoint({ client, path: endpointPath(endpoint) }),
  refused: 'not deleted',
  hint: (_, { args: [endpoint] }) => `${endpoint} is deleted`,
});

const addKey = command({
  name: 'add-key',
  args,
  description: 'create a key that signs its calls, and print the secret once; older keys also sign until they expire',
  options: {
    othersExpireInSeconds: whole('--others-expire-in <seconds>', 'seconds until older keys expire; by default a day'),
    secretFile: text('--secret-file <path>', 'file with the secret to use; - reads standard input'),
  },
  ask: async ({ client, args: [endpoint], options: { secretFile, ...body }, context: { input } }) => {
    const given = secretFile === undefined ? {} : { secret: (await contentOf(secretFile, input)).trim() };
    return addClientEndpointKey({ client, path: endpointPath(endpoint), body: { ...body, ...given } });
  },
  refused: 'not added',
  render: ({ secret, key }) => `${secret ?? key.id}\n`,
  hint: ({ secret, key }) => (secret === null ? [] : `${key.id}: shown this once`),
});

const removeKey = command({
  name: 'remove-key',
  args: ['<endpoint>', '<key>'],
  description: 'remove a key at once, for example after a leak',
  ask: ({ client, args: [endpoint, keyId] }) =>
    removeClientEndpointKey({ client, path: { ...endpointPath(endpoint), keyId } }),
  refused: 'not removed',
  render: nameOf,
  hint: ({ warnings }, { args: [endpoint, key] }) => [
    `${endpoint} signs without ${key}`,
    ...warnings.map(({ detail }) => inCommands(detail)),
  ],
});

const setAuth = command({
  name: 'set-auth',
  args,
  description:
    'set the credentials of its calls: a JSON file with kind, origins and secrets; replaces the previous ones',
  options: {
    file: text('--file <path>', '{"kind":"bearer","origins":["https://…"],"token":"…"}; - reads standard input'),
  },
  ask: async ({ client, args: [endpoint], options: { file }, context: { input } }) => {
    if (file === undefined) throw new UsageError('say where it is: --file <path>, or --file - for standard input');
    return setClientEndpointAuth({
      client,
      path: endpointPath(endpoint),
      body: await readFields({ words: [], file, input }, z.custom<NewClientAuthInput>()),
    });
  },
  refused: 'not set',
  render: nameOf,
  hint: (_, { args: [endpoint] }) => `${endpoint} has it; every dispatcher knows in about a second`,
});

const removeAuth = command({
  name: 'remove-auth',
  args,
  description: 'remove the credentials: calls use those of `default`; calls of `default` use none',
  ask: ({ client, args: [endpoint] }) => removeClientEndpointAuth({ client, path: endpointPath(endpoint) }),
  refused: 'not removed',
  render: nameOf,
  hint: (_, { args: [endpoint] }) => `${endpoint} has none of its own`,
});

export const heading: Heading = 'Callbacks';

export const commands = group('endpoints', 'endpoints of clients: orders/billing, or orders for orders/default', [
  list,
  show,
  create,
  set,
  disable,
  enable,
  remove,
  addKey,
  removeKey,
  setAuth,
  removeAuth,
]);
