import { z } from 'zod';
import { deleteGroup, getGroup, listGroups, putGroup } from '../../sdk/generated/sdk.gen.ts';
import type { Group, GroupDefinitionInput } from '../../sdk/generated/types.gen.ts';
import { command, group } from '../frame/command-table.ts';
import { fieldsFile, readFields } from '../frame/given.ts';
import type { Heading } from '../frame/headings.ts';
import { cut, left, right, tableOf } from '../show/tables.ts';

const table = tableOf<Group>('', [
  left('name', ({ name }) => name),
  left('home', ({ homeRegion }) => homeRegion ?? 'any'),
  right('others after', ({ homeRegion, fallbackSeconds }) => (homeRegion === null ? '' : `${fallbackSeconds} s`)),
  cut('tags', ({ tags }) => tags.join(', ')),
  cut('countries', ({ countries }) => countries.join(', ')),
]);

const list = command({
  name: 'list',
  description: 'list groups by name',
  ask: ({ client }) => listGroups({ client }),
  render: table,
});

const show = command({
  name: 'show',
  args: ['<name>'],
  description: 'show a group',
  ask: ({ client, args: [name] }) => getGroup({ client, path: { name } }),
  render: (one, view) => table({ items: [one] }, view),
});

const put = command({
  name: 'put',
  args: ['<name>', '[field=value...]'],
  description: 'create or replace a group: homeRegion=asia fallbackSeconds=60 tags=\'["rides"]\' countries=\'["SG"]\'',
  options: fieldsFile,
  ask: async ({ client, args: [name, words], options: { file }, context: { input } }) => {
    const isBare = words.length === 0 && file === undefined;
    const body = isBare ? {} : await readFields({ words, file, input }, z.custom<GroupDefinitionInput>());
    return putGroup({ client, path: { name }, body });
  },
  refused: 'not put',
  render: ({ name, revision }) => `${name} revision ${revision}\n`,
});

const remove = command({
  name: 'delete',
  args: ['<name>'],
  description: 'delete a group; schedules continue without it',
  ask: ({ client, args: [name] }) => deleteGroup({ client, path: { name } }),
  refused: 'not deleted',
  hint: (_, { args: [name] }) => `${name} is deleted`,
});

export const heading: Heading = 'Callbacks';

export const commands = group('groups', 'groups: markets for which schedules fire', [list, show, put, remove]);
