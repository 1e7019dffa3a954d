import { getQuietHours, setQuietHours } from '../../sdk/generated/sdk.gen.ts';
import type { QuietHoursRulesInput, QuietRule } from '../../sdk/generated/types.gen.ts';
import { z } from 'zod';
import { command } from '../frame/command-table.ts';
import { fieldsFile, readFields } from '../frame/given.ts';
import type { Heading } from '../frame/headings.ts';
import { left, tableOf } from '../show/tables.ts';

const columns = [
  left('action type', ({ actionType }: QuietRule) => actionType),
  left('countries', ({ countries }: QuietRule) => countries?.join(' ') ?? 'all'),
  left('from', ({ from }: QuietRule) => from),
  left('until', ({ until }: QuietRule) => until),
  left('zone', ({ zone }: QuietRule) => zone ?? "the country's"),
  left('users', ({ then }: QuietRule) => (then === 'wait' ? 'wait' : 'are dropped')),
];

export const heading: Heading = 'Audiences';

export const commands = command({
  name: 'quiet-hours',
  description: 'show the rules of the quiet hours; with --file, replace them',
  options: fieldsFile,
  ask: async ({ client, options: { file }, context: { input } }) => {
    if (file === undefined) return getQuietHours({ client });
    const body = await readFields({ words: [], file, input }, z.custom<QuietHoursRulesInput>());
    return setQuietHours({ client, body });
  },
  refused: 'not changed',
  render: ({ rules }, view) => tableOf('no rules: there are no quiet hours', columns)({ items: rules }, view),
});
