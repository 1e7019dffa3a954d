import type { Client as ApiClient } from '../../sdk/generated/client/types.gen.ts';
import { changeShard, getShard, listShards } from '../../sdk/generated/sdk.gen.ts';
import type { Shard } from '../../sdk/generated/types.gen.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { command } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { neededWhole } from '../frame/options.ts';
import { renderShard, renderShards } from './render.ts';

/** Maximum wait in milliseconds for Kafka, which follows a change within seconds. */
const patienceMs = 15_000;
const pollEveryMs = 500;

const named = ['<action-type>', '<country>'] as const;
const idOf = ([actionType, country]: readonly [string, string]) => `${actionType}.${country}`;

const show = command({
  name: 'show',
  args: named,
  description: 'show a shard with the owner of each partition',
  ask: ({ client, args }) => getShard({ client, path: { shard: idOf(args) } }),
  render: renderShard,
});

const set = command({
  name: 'set',
  args: named,
  description: 'raise the number of partitions, which limits the number of workers; safe under load',
  options: { partitions: neededWhole('--partitions <n>', 'number of items') },
  ask: async ({ client, args, options: body }) => {
    const { data } = await changeShard({ client, path: { shard: idOf(args) }, body });
    return { data: await untilKafkaFollows(data, client) };
  },
  refused: 'not raised',
  labelOf: (pointer) => (pointer === '/partitions' ? '--partitions' : pointer),
  render: ({ topic, partitions: { wanted } }) => `${topic} ${wanted} partitions\n`,
  hint: ({ partitions: { wanted, actual } }) => {
    if (actual === null) return 'Kafka does not tell whether it has them; a trigger sees to it';
    return actual === wanted ? [] : `Kafka has ${actual} of them so far; a trigger sees to it`;
  },
});

async function untilKafkaFollows(raised: Shard, client: ApiClient): Promise<Shard> {
  const untilMs = systemClock.monotonicMs() + patienceMs;
  let seen = raised;
  while (isBehind(seen) && systemClock.monotonicMs() < untilMs) {
    await systemClock.sleep(pollEveryMs);
    seen = (await getShard({ client, path: { shard: raised.id } })).data;
  }
  return seen;
}

/**
 * Returns true if Kafka has fewer partitions than wanted. False if Kafka does not report a number, because waiting
 * would not help.
 */
function isBehind({ partitions: { wanted, actual } }: Shard): boolean {
  return actual !== null && actual < wanted;
}

export const heading: Heading = 'Campaigns';

export const commands = command({
  name: 'shards',
  description: 'shards: an action type in a country, with its topic, partitions and workers',
  ask: ({ client }) => listShards({ client }),
  render: ({ items }, view) => renderShards(items, view),
  commands: [show, set],
});
