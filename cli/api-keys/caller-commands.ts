import { getApiKeyCalls, listRefusedPeople } from '../../sdk/generated/sdk.gen.ts';
import type { KeyCalls, RefusedPerson } from '../../sdk/generated/types.gen.ts';
import { command } from '../frame/command-table.ts';
import type { View } from '../show/paint.ts';
import { within } from '../frame/options.ts';
import { count } from '../show/numbers.ts';
import { cut, left, right, tableOf } from '../show/tables.ts';
import { utcTime } from '../show/times.ts';

type CallsOfDay = KeyCalls['days'][number];
type CallsOfOperation = KeyCalls['operations'][number];

/** Returns an empty text for 0, so that other numbers stand out. */
const some = (value: number) => (value === 0 ? '' : count(value));

const byDay = tableOf<CallsOfDay>('', [
  left('day', ({ day }) => day),
  right('done', ({ done }) => count(done)),
  right('refused', ({ refused }) => some(refused)),
  right('failed', ({ failed }) => some(failed)),
]);

const byOperation = tableOf<CallsOfOperation>('no calls in eight days', [
  left('operation', ({ operation }) => operation),
  right('done', ({ done }) => count(done)),
  right('refused', ({ refused }) => some(refused)),
  right('failed', ({ failed }) => some(failed)),
  left('last', ({ lastAt }) => utcTime(lastAt)),
]);

export const calls = command({
  name: 'calls',
  args: ['<key>'],
  description: 'list the calls of a key in eight days, by day and operation; muster audit --key-id lists its changes',
  ask: ({ client, args: [id] }) => getApiKeyCalls({ client, path: { id } }),
  render: ({ days, operations }: KeyCalls, view: View) => {
    const table = byOperation({ items: operations }, view);
    return operations.length === 0 ? table : `${byDay({ items: days }, view)}\n${table}`;
  },
});

export const refusedPeople = command({
  name: 'refused-people',
  description: 'list people of the issuer who were refused in the last thirty days: without a role, or shut out',
  options: { limit: within('--limit <n>', 'number of people, the latest first', { least: 1, most: 1000, usual: 50 }) },
  ask: ({ client, options: query }) => listRefusedPeople({ client, query }),
  render: tableOf<RefusedPerson>('nobody', [
    cut('who', ({ name, subject }) => name ?? subject),
    left('why', ({ code, isInAgain }) => (isInAgain ? `${code}, let in since` : code)),
    right('times', ({ count: times }) => count(times)),
    left('last', ({ lastAt }) => utcTime(lastAt)),
    left('from', ({ lastFrom }) => lastFrom ?? ''),
    left('key', ({ keyId }) => keyId ?? ''),
    cut('told', ({ detail }) => detail),
  ]),
});
