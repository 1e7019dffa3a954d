import type { Shard } from '../../sdk/generated/types.gen.ts';
import type { View } from '../show/paint.ts';
import { count, duration } from '../show/numbers.ts';
import { left, renderFacts, renderItems, right, type ItemColumn } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';

const columns: readonly ItemColumn<Shard>[] = [
  left('action type', ({ actionType }) => actionType),
  left('country', ({ country }) => country),
  right('partitions', partitionsText),
  right('workers', ({ workers }) => workers.length),
  right('messages', ({ lag }) => lag.messages ?? '?'),
  right('held back', ({ lag }) => lag.waiting),
  right('ahead', aheadText),
  right('calls', ({ inFlight, callLimit }) => `${inFlight}/${callLimit}`),
  right('batches/s', ({ batchesPerSecond }) => String(batchesPerSecond)),
  left('breaker', ({ breaker }) => breaker, { tone: ({ breaker }) => (breaker === 'open' ? 'bad' : undefined) }),
];

export function renderShards(shards: readonly Shard[], view: View): string {
  const notes = shards.flatMap(({ actionType, country, notes: ownNotes }) =>
    ownNotes.map((note) => `  ${oneLine(`${actionType} ${country}: ${note}`)}\n`),
  );
  return `${renderItems(shards, columns, view)}${notes.length === 0 ? '' : `\n${notes.join('')}`}`;
}

export function renderShard(shard: Shard, view: View): string {
  const { id, topic, inFlight, callLimit, batchesPerSecond, breaker, desiredWorkers, lag, endpoint, notes } = shard;
  const workers = shard.workers.map(
    ({ worker, partitions }) => `${worker}: ${partitions.length === 0 ? 'nothing' : partitions.join(', ')}`,
  );
  return renderFacts(
    { name: id },
    [
      ['topic', topic],
      ['partitions', partitionsText(shard)],
      ['workers', workers.length === 0 ? 'none' : workers],
      ['desired', `${desiredWorkers} workers`],
      ['lag', `${lag.messages ?? '?'} messages, ${lag.batches} batches ready, ${lag.waiting} held back`],
      ['ahead', `${count(lag.aheadBatches)} batches, ${aheadText(shard)}`],
      ['calls', `${inFlight} of ${callLimit} in flight, ${batchesPerSecond} batches/s`],
      ['breaker', [breaker, ...(endpoint ? [`${endpoint.cause}, since ${endpoint.since}`] : [])]],
      ['lies in', lanesText(shard)],
      ['note', notes],
    ],
    view,
  );
}

function partitionsText({ partitions: { wanted, actual } }: Shard): string {
  return actual === null || actual === wanted ? String(wanted) : `${actual} of ${wanted}`;
}

function lanesText({ lanes }: Shard): string[] {
  return lanes
    .filter(({ messages }) => messages > 0)
    .toSorted((a, b) => b.messages - a.messages)
    .map(
      ({ partition, worker, messages }) => `partition ${partition}: ${count(messages)}, ${worker ?? 'nobody has it'}`,
    );
}

function aheadText({ lag: { aheadBatches, aheadSeconds } }: Shard): string {
  if (aheadBatches === 0) return '-';
  return aheadSeconds === null ? 'stands' : duration(Math.ceil(aheadSeconds));
}
