import { z } from 'zod';
import {
  changeActionType,
  createActionType,
  deleteActionType,
  getActionType,
  listActionTypes,
  listParameterOptions,
  removeActionTypeSecret,
  setActionTypeSecret,
} from '../../sdk/generated/sdk.gen.ts';
import type {
  ActionType,
  ActionTypeDefinitionInput,
  ActionTypePatchInput,
  ParameterOption,
} from '../../sdk/generated/types.gen.ts';
import { secretNames } from '../../shared/ports/registry.ts';
import { command, group } from '../frame/command-table.ts';
import { changesFile, fieldsFile, readFields } from '../frame/given.ts';
import type { Heading } from '../frame/headings.ts';
import { flag, text, within } from '../frame/options.ts';
import { cut, left, right, tableOf } from '../show/tables.ts';
import { readSecretFiles, readSecretFrom } from './read-secret.ts';
import { renderActionType } from './render.ts';

const secret = {
  name: '<secret>',
  description:
    'authorization: the whole header of calls; signing: what calls are signed with; receipts: what receipts are',
  among: secretNames,
} as const;

const revisionOf = ({ name, revision }: ActionType) => `${name} revision ${revision}\n`;
const known = (description: string) => `${description}; workers know in about a second`;

const list = command({
  name: 'list',
  description: 'all of them, by name',
  ask: ({ client }) => listActionTypes({ client }),
  render: tableOf<ActionType>('', [
    left('name', ({ name }) => name),
    cut('title', ({ title }) => title),
    left('class', (type) => type.class),
    cut('url', ({ url }) => url),
    right('batch', ({ batchSize }) => String(batchSize)),
    right('calls', ({ concurrency }) => String(concurrency)),
    right('time-out', ({ timeoutMs }) => `${timeoutMs} ms`),
    left('state', ({ enabled }) => (enabled ? 'enabled' : 'disabled')),
  ]),
});

const show = command({
  name: 'show',
  args: ['<name>'],
  description: 'how one is called',
  ask: ({ client, args: [name] }) => getActionType({ client, path: { name } }),
  render: renderActionType,
});

const options = command({
  name: 'options',
  args: ['<name>', '<parameter>'],
  description: 'what a parameter of one may be: as its team offers it, else as earlier campaigns say it',
  options: {
    q: text('--search <text>', 'part of the value, or of what it is called'),
    country: text('--country <code>', 'what may be used there'),
    limit: within('--limit <n>', 'how many', { least: 1, most: 200, usual: 50 }),
  },
  ask: ({ client, args: [name, parameter], options: query }) =>
    listParameterOptions({ client, path: { name }, query: { ...query, parameter } }),
  render: tableOf<ParameterOption>('', [
    left('value', ({ value }) => String(value)),
    cut('called', ({ label }) => label ?? ''),
    cut('countries', ({ countries }) => countries?.join(' ') ?? ''),
    right('used by', ({ usedBy }) => usedBy),
    cut('description', ({ description }) => description ?? ''),
  ]),
  hint: ({ from, more, unavailable }) => [
    ...(unavailable === null ? [] : [`these are of earlier campaigns: ${unavailable}`]),
    ...(unavailable === null && from === 'earlier-campaigns'
      ? ['these are of earlier campaigns: its schema names no options']
      : []),
    ...(more ? ['there are more: --search finds them'] : []),
  ],
});

const create = command({
  name: 'create',
  args: ['<name>', '[field=value...]'],
  description: 'register one: url=https://… class=A timeoutMs=2000, or from a file; campaigns may use it at once',
  options: fieldsFile,
  ask: async ({ client, args: [name, words], options: { file }, context: { input } }) => {
    const fields = await readFields({ words, file, input }, z.custom<Omit<ActionTypeDefinitionInput, 'name'>>());
    return createActionType({ client, body: { ...fields, name } });
  },
  refused: 'not registered',
  render: revisionOf,
  hint: ({ name }) => known(`${name} is registered`),
});

const set = command({
  name: 'set',
  args: ['<name>', '[field=value...]'],
  description: 'change fields of one; null takes a field back to its default',
  options: {
    ...changesFile,
    authorizationFile: text(
      '--authorization-file <path>',
      'with another url: the Authorization header for it; - reads standard input',
    ),
    signingFile: text('--signing-file <path>', 'the secret that calls are signed with; - reads standard input'),
  },
  ask: async ({ client, args: [name, words], options: { file, ...files }, context: { input } }) => {
    const secrets = await readSecretFiles(files, input);
    const isOnlySecrets = secrets !== undefined && words.length === 0 && file === undefined;
    const fields = isOnlySecrets ? {} : await readFields({ words, file, input }, z.custom<ActionTypePatchInput>());
    return changeActionType({ client, path: { name }, body: { ...fields, ...(secrets && { secrets }) } });
  },
  refused: 'not changed',
  render: revisionOf,
  hint: ({ name }) => known(`${name} is changed`),
});

const setSecret = command({
  name: 'set-secret',
  args: ['<name>', secret],
  excessArgsError: 'a secret is no argument, others can see those: --from-file or --from-stdin',
  description: 'keep a secret for one, encrypted; it is never shown again',
  options: {
    fromFile: text('--from-file <path>', 'the file that holds it; - reads standard input'),
    fromStdin: flag('--from-stdin', 'read it from standard input'),
  },
  ask: async ({ client, args: [name, which], options, context: { input } }) => {
    const value = await readSecretFrom(options, input);
    return setActionTypeSecret({ client, path: { name, secret: which }, body: { value } });
  },
  refused: 'not set',
  labelOf: (pointer, { args: [, which] }) => (pointer === '/value' ? which : pointer),
  render: revisionOf,
  hint: ({ name }, { args: [, which] }) => known(`${name} has a new ${which} secret`),
});

const removeSecret = command({
  name: 'remove-secret',
  args: ['<name>', secret],
  description: 'take a secret of one away: calls go without it',
  ask: ({ client, args: [name, which] }) => removeActionTypeSecret({ client, path: { name, secret: which } }),
  refused: 'not removed',
  hint: (_, { args: [name, which] }) => known(`${name} has no ${which} secret`),
});

const enabling = (['disable', 'enable'] as const).map((verb) =>
  command({
    name: verb,
    args: ['<name>'],
    description:
      verb === 'disable' ? 'let no campaign begin with it; what runs goes on' : 'let campaigns begin with it again',
    ask: ({ client, args: [name] }) =>
      changeActionType({ client, path: { name }, body: { enabled: verb === 'enable' } }),
    refused: 'not changed',
    render: revisionOf,
    hint: ({ name }) => known(`${name} is ${verb === 'enable' ? 'enabled' : 'disabled: what runs goes on'}`),
  }),
);

const remove = command({
  name: 'delete',
  args: ['<name>'],
  description: 'forget one that no campaign has in its chain',
  ask: ({ client, args: [name] }) => deleteActionType({ client, path: { name } }),
  refused: 'not deleted',
  hint: (_, { args: [name] }) => `${name} is deleted`,
});

export const heading: Heading = 'Campaigns';

export const commands = group('action-types', 'what a chain may be made of, and how it is called; over the API', [
  ...[list, show, options, create, set, setSecret, removeSecret, ...enabling, remove],
]);
