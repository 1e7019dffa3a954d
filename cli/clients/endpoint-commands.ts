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
import { command } from '../frame/command-table.ts';
import type { View } from '../show/paint.ts';
import { changesFile, contentOf, fieldsFile, readFields } from '../frame/given.ts';
import { text, whole } from '../frame/options.ts';
import { left, tableOf } from '../show/tables.ts';
import { utcTime } from '../show/times.ts';
import { UsageError } from '../frame/usage-error.ts';
import { renderRules } from './render.ts';

const args = ['<client>', '<endpoint>'] as const;
const pathOf = ([id, endpoint]: readonly [string, string, ...unknown[]]) => ({ id, endpoint });
const nameOf = ({ name }: ClientEndpoint) => `${name}\n`;

const list = command({
  name: 'endpoints',
  args: ['<client>'],
  description: 'where its jobs go that name one, each with slots, rate and secrets of its own',
  ask: ({ client, args: [id] }) => listClientEndpoints({ client, path: { id } }),
  render: tableOf<ClientEndpoint>('no endpoints', [
    left('name', ({ name }) => name),
    left('state', ({ enabled }) => (enabled ? 'enabled' : 'disabled')),
    left('changed', ({ updatedAt }) => utcTime(updatedAt)),
    left('url', ({ url }) => url),
  ]),
});

const show = command({
  name: 'show-endpoint',
  args,
  description: 'one of them; what is not said there is as its client says',
  ask: ({ client, args: given }) => getClientEndpoint({ client, path: pathOf(given) }),
  render: (endpoint, view: View) => {
    const { clientId, ...rules } = endpoint;
    return renderRules(rules, clientId, view);
  },
});

const add = command({
  name: 'add-endpoint',
  args: ['<client>', '<endpoint>', '[field=value...]'],
  description: 'make one: url=https://… concurrency=5, or from a file',
  options: fieldsFile,
  ask: async ({ client, args: [id, name, words], options: { file }, context: { input } }) => {
    const fields = await readFields({ words, file, input }, z.custom<Omit<NewClientEndpointInput, 'name'>>());
    return createClientEndpoint({ client, path: { id }, body: { ...fields, name } });
  },
  refused: 'not added',
  render: nameOf,
});

const set = command({
  name: 'set-endpoint',
  args: ['<client>', '<endpoint>', '[field=value...]'],
  description: 'change fields of one; null makes a field what its client says',
  options: changesFile,
  ask: async ({ client, args: [id, endpoint, words], options: { file }, context: { input } }) =>
    changeClientEndpoint({
      client,
      path: { id, endpoint },
      body: await readFields({ words, file, input }, z.custom<ClientEndpointPatchInput>()),
    }),
  refused: 'not changed',
  render: nameOf,
});

const disable = command({
  name: 'disable-endpoint',
  args,
  description: 'call nothing through it; its jobs wait',
  options: { reason: text('--reason <text>', 'shown to whoever schedules for it') },
  ask: ({ client, args: given, options: body }) => disableClientEndpoint({ client, path: pathOf(given), body }),
  refused: 'not disabled',
  render: nameOf,
  hint: ({ name }) => `${name} is disabled: its jobs wait`,
});

const enable = command({
  name: 'enable-endpoint',
  args,
  description: 'let it go on',
  ask: ({ client, args: given }) => enableClientEndpoint({ client, path: pathOf(given) }),
  refused: 'not enabled',
  render: nameOf,
  hint: ({ name }) => `${name} is enabled`,
});

const remove = command({
  name: 'delete-endpoint',
  args,
  description: 'delete one that no job and no schedule names that has not ended',
  ask: ({ client, args: given }) => deleteClientEndpoint({ client, path: pathOf(given) }),
  refused: 'not deleted',
  hint: (_, { args: [, name] }) => `${name} is deleted`,
});

const addKey = command({
  name: 'add-endpoint-key',
  args,
  description: 'make a key to sign calls through it with, in place of its client’s; prints the secret once',
  options: {
    othersExpireInSeconds: whole('--others-expire-in <seconds>', 'a day unless given'),
    secretFile: text('--secret-file <path>', 'take the secret from there instead; - reads standard input'),
  },
  ask: async ({ client, args: given, options: { secretFile, ...body }, context: { input } }) => {
    const own = secretFile === undefined ? {} : { secret: (await contentOf(secretFile, input)).trim() };
    return addClientEndpointKey({ client, path: pathOf(given), body: { ...body, ...own } });
  },
  refused: 'not added',
  render: ({ secret, key }) => `${secret ?? key.id}\n`,
  hint: ({ secret, key }) => (secret === null ? [] : `${key.id}: shown this once`),
});

const removeKey = command({
  name: 'remove-endpoint-key',
  args: ['<client>', '<endpoint>', '<key>'],
  description: 'end a key of it at once, because others know it',
  ask: ({ client, args: [id, endpoint, keyId] }) => removeClientEndpointKey({ client, path: { id, endpoint, keyId } }),
  refused: 'not removed',
  render: nameOf,
});

const setAuth = command({
  name: 'set-endpoint-auth',
  args,
  description: 'what calls through it are authorised with, in place of its client’s: a JSON file as of set-auth',
  options: { file: text('--file <path>', '- reads standard input') },
  ask: async ({ client, args: given, options: { file }, context: { input } }) => {
    if (file === undefined) throw new UsageError('say where it is: --file <path>, or --file - for standard input');
    return setClientEndpointAuth({
      client,
      path: pathOf(given),
      body: await readFields({ words: [], file, input }, z.custom<NewClientAuthInput>()),
    });
  },
  refused: 'not set',
  render: nameOf,
});

const removeAuth = command({
  name: 'remove-endpoint-auth',
  args,
  description: 'let calls through it go with what its client has',
  ask: ({ client, args: given }) => removeClientEndpointAuth({ client, path: pathOf(given) }),
  refused: 'not removed',
  render: nameOf,
});

export const endpointCommands = [
  ...[list, show, add, set, disable, enable, remove, addKey, removeKey, setAuth, removeAuth],
];
