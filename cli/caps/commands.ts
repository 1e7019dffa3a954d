import { getCaps, setCaps } from '../../sdk/generated/sdk.gen.ts';
import type { Cap, CapsRulesInput } from '../../sdk/generated/types.gen.ts';
import { z } from 'zod';
import { command } from '../frame/command-table.ts';
import { fieldsFile, readFields } from '../frame/given.ts';
import type { Heading } from '../frame/headings.ts';
import { left, right, tableOf } from '../show/tables.ts';
import { utcSecond } from '../show/times.ts';

const columns = [
  left('cap', ({ name }: Cap) => name),
  left('action types', ({ actionTypes }: Cap) => actionTypes.join(' ')),
  left('countries', ({ countries }: Cap) => countries?.join(' ') ?? 'all'),
  right('at most', ({ effects }: Cap) => String(effects)),
  right('days', ({ days }: Cap) => String(days)),
  left('counting', ({ counting }: Cap) => counting),
  left('exempt', ({ exempt = [] }: Cap) => exempt.join(' ')),
  left('counts from', ({ countsFrom }: Cap) => utcSecond(countsFrom)),
];

export const heading: Heading = 'Audiences';

export const commands = command({
  name: 'caps',
  description: 'show the caps on effects for a user; with --file, replace them',
  options: fieldsFile,
  ask: async ({ client, options: { file }, context: { input } }) => {
    if (file === undefined) return getCaps({ client });
    const body = await readFields({ words: [], file, input }, z.custom<CapsRulesInput>());
    return setCaps({ client, body });
  },
  refused: 'not changed',
  render: ({ caps }, view) => tableOf('no caps: nothing is counted', columns)({ items: caps }, view),
});
