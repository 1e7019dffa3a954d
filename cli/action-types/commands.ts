import { z } from 'zod';
import {
  changeActionType,
  createActionType,
  deleteActionType,
  getActionType,
  listActionTypes,
  listParameterOptions,
  previewMessage,
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
import { flag, needed, text, within } from '../frame/options.ts';
import { cut, left, right, tableOf } from '../show/tables.ts';
import { readSecretFiles, readSecretFrom } from './read-secret.ts';
import { renderActionType, renderPreview } from './render.ts';

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
  description: 'list action types by name',
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
  description: 'show an action type',
  ask: ({ client, args: [name] }) => getActionType({ client, path: { name } }),
  render: renderActionType,
});

const options = command({
  name: 'options',
  args: ['<name>', '<parameter>'],
  description: "list values of a parameter, from the team's list or from earlier campaigns",
  options: {
    q: text('--search <text>', 'part of the value or of its name'),
    country: text('--country <code>', 'values for this country'),
    limit: within('--limit <n>', 'number of items', { least: 1, most: 200, usual: 50 }),
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

const preview = command({
  name: 'preview',
  args: ['<name>', '[parameter=value...]'],
  description: 'show the message that a step would send to one user, without sending it',
  options: {
    user: needed('--user <id>', 'any user'),
    country: needed('--country <code>', 'country of the message'),
    file: text('-f, --file <path>', 'parameters as JSON; - reads standard input'),
  },
  ask: async ({ client, args: [name, words], options: { file, ...body }, context: { input } }) => {
    const hasParams = words.length > 0 || file !== undefined;
    const params = hasParams ? await readFields({ words, file, input }, z.record(z.string(), z.json())) : {};
    return previewMessage({ client, path: { name }, body: { ...body, params } });
  },
  refused: 'no preview',
  render: renderPreview,
});

const create = command({
  name: 'create',
  args: ['<name>', '[field=value...]'],
  description:
    'register an action type: url=https://… class=A timeoutMs=2000, or from a file; campaigns can use it at once',
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
  description: 'change fields of an action type; null restores the default of a field',
  options: {
    ...changesFile,
    authorizationFile: text(
      '--authorization-file <path>',
      'with another URL: file with its Authorization header; - reads standard input',
    ),
    signingFile: text('--signing-file <path>', 'file with the secret that signs calls; - reads standard input'),
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
  description: 'store a secret of an action type, encrypted; it is never shown again',
  options: {
    fromFile: text('--from-file <path>', 'file with the secret; - reads standard input'),
    fromStdin: flag('--from-stdin', 'read the secret from standard input'),
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
  description: 'remove a secret of an action type: calls are made without it',
  ask: ({ client, args: [name, which] }) => removeActionTypeSecret({ client, path: { name, secret: which } }),
  refused: 'not removed',
  hint: (_, { args: [name, which] }) => known(`${name} has no ${which} secret`),
});

const enabling = (['disable', 'enable'] as const).map((verb) =>
  command({
    name: verb,
    args: ['<name>'],
    description:
      verb === 'disable' ? 'let no campaign start with it; current runs continue' : 'let campaigns start with it again',
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
  description: 'delete an action type that no campaign has in its chain',
  ask: ({ client, args: [name] }) => deleteActionType({ client, path: { name } }),
  refused: 'not deleted',
  hint: (_, { args: [name] }) => `${name} is deleted`,
});

export const heading: Heading = 'Campaigns';

export const commands = group('action-types', 'action types and checks that chains can use', [
  ...[list, show, options, preview, create, set, setSecret, removeSecret, ...enabling, remove],
]);
