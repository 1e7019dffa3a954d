import { listQuotas } from '../../sdk/generated/sdk.gen.ts';
import type { Quota } from '../../sdk/generated/types.gen.ts';
import { command } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { count } from '../show/numbers.ts';
import { left, right, tableOf } from '../show/tables.ts';

export const heading: Heading = 'Access';

export const commands = command({
  name: 'quotas',
  description: "show the quotas of the key's account, and their use",
  ask: ({ client }) => listQuotas({ client }),
  render: tableOf<Quota>('', [
    left('quota', ({ name }) => name),
    right('used', ({ name, used }) => amount(name, used)),
    right('of', ({ name, limit }) => amount(name, limit)),
    right('', ({ used, limit }) => `${Math.floor((used / limit) * 100)} %`),
  ]),
});

function amount(name: Quota['name'], value: number): string {
  return name.endsWith('Bytes') ? `${count(Math.round(value / 1024 ** 2))} MiB` : count(value);
}
