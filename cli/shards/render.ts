import { z } from 'zod';
import { count, duration } from '../show/numbers.ts';
import type { Paint } from '../show/paint.ts';
import { renderTable, type Column } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';

export const shownShard = z.object({
  id: z.string(),
  actionType: z.string(),
  country: z.string(),
  topic: z.string(),
  partitions: z.object({ wanted: z.int(), actual: z.int().nullable() }),
  workers: z.array(z.object({ worker: z.string(), partitions: z.array(z.int()) })),
  lag: z.object({
    messages: z.int().nullable(),
    batches: z.number(),
    waiting: z.number(),
    aheadBatches: z.number(),
    aheadSeconds: z.number().nullable(),
  }),
  inFlight: z.int(),
  callLimit: z.int(),
  batchesPerSecond: z.number(),
  breaker: z.string(),
  endpoint: z.object({ cause: z.string(), since: z.string(), nextTryAt: z.string().nullable() }).nullish(),
  lanes: z.array(z.object({ partition: z.int(), worker: z.string().nullable(), messages: z.int() })).nullish(),
  desiredWorkers: z.int(),
  notes: z.array(z.string()),
});

export type ShownShard = z.infer<typeof shownShard>;

const left = (title: string): Column => ({ title, align: 'left' });
const right = (title: string): Column => ({ title, align: 'right' });

/** A line per shard, and below what a person should know. */
export function renderShards(shards: readonly ShownShard[], paint: Paint, width = Infinity): string {
  const columns = [
    left('action type'),
    left('country'),
    right('partitions'),
    right('workers'),
    right('messages'),
    right('held back'),
    right('ahead'),
    right('calls'),
    right('batches/s'),
    left('breaker'),
  ];
  const rows = shards.map((shard) => [
    oneLine(shard.actionType),
    oneLine(shard.country),
    partitionsText(shard),
    String(shard.workers.length),
    shard.lag.messages === null ? '?' : count(shard.lag.messages),
    count(shard.lag.waiting),
    aheadText(shard),
    `${shard.inFlight}/${shard.callLimit}`,
    String(shard.batchesPerSecond),
    shard.breaker === 'open' ? paint.bad('open') : oneLine(shard.breaker),
  ]);
  const notes = shards.flatMap(({ actionType, country, notes: said }) =>
    said.map((note) => `  ${oneLine(actionType)} ${oneLine(country)}: ${oneLine(note)}\n`),
  );
  return `${renderTable(columns, rows, paint, width)}${notes.length === 0 ? '' : `\n${notes.join('')}`}`;
}

export function renderShard(shard: ShownShard, paint: Paint): string {
  const { topic, inFlight, callLimit, batchesPerSecond, breaker, desiredWorkers, lag } = shard;
  const workers = shard.workers.map(
    ({ worker, partitions }) => `${oneLine(worker)}: ${partitions.length === 0 ? 'nothing' : partitions.join(', ')}`,
  );
  const parts: [string, readonly string[]][] = [
    ['topic', [oneLine(topic)]],
    ['partitions', [partitionsText(shard)]],
    ['workers', workers.length === 0 ? ['none'] : workers],
    ['desired', [`${desiredWorkers} workers`]],
    ['lag', [`${lag.messages ?? '?'} messages, ${lag.batches} batches ready, ${lag.waiting} held back`]],
    ['ahead', [`${count(lag.aheadBatches)} batches, ${aheadText(shard)}`]],
    ['calls', [`${inFlight} of ${callLimit} in flight, ${batchesPerSecond} batches/s`]],
    ['breaker', [oneLine(breaker), ...endpointText(shard)]],
    ['lies in', lanesText(shard)],
    ['note', shard.notes.map(oneLine)],
  ];
  const width = Math.max(...parts.map(([title]) => title.length));
  const lines = parts.flatMap(([title, texts]) =>
    texts.map((text, index) => `  ${paint.faint((index === 0 ? title : '').padEnd(width))}  ${text}\n`),
  );
  return `  ${paint.strong(oneLine(shard.id))}\n\n${lines.join('')}`;
}

function partitionsText({ partitions: { wanted, actual } }: ShownShard): string {
  return actual === null || actual === wanted ? String(wanted) : `${actual} of ${wanted}`;
}

function endpointText({ endpoint }: ShownShard): string[] {
  return endpoint ? [`${oneLine(endpoint.cause)}, since ${endpoint.since}`] : [];
}

/** Where messages lie, the fullest partition first. */
function lanesText({ lanes }: ShownShard): string[] {
  return (lanes ?? [])
    .filter(({ messages }) => messages > 0)
    .toSorted((a, b) => b.messages - a.messages)
    .map(
      ({ partition, worker, messages }) =>
        `partition ${partition}: ${count(messages)}, ${worker ? oneLine(worker) : 'nobody has it'}`,
    );
}

function aheadText({ lag: { aheadBatches, aheadSeconds } }: ShownShard): string {
  if (aheadBatches === 0) return '-';
  return aheadSeconds === null ? 'stands' : duration(Math.ceil(aheadSeconds));
}
