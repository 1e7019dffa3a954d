import { z } from 'zod';

const count = z.int().min(0);

/** HTTP shape of a shard: an action type in a country. Each shard has its own topic. */
export const shard = z
  .object({
    id: z.string().describe('<action type>.<country>'),
    actionType: z.string(),
    country: z.string(),
    topic: z.string(),
    partitions: z.object({
      wanted: z.int().min(1).describe('Requested number; it can only be raised'),
      actual: count.nullable().describe('Number in Kafka; null while unknown'),
    }),
    workers: z
      .array(z.object({ worker: z.string(), partitions: z.array(count) }))
      .describe('Workers that serve it, with their partitions'),
    lanes: z
      .array(
        z.object({
          partition: count,
          worker: z.string().nullable().describe('Worker that has the partition; null if none has'),
          messages: count.describe('Messages published to it and not handled yet'),
        }),
      )
      .describe('Partitions in Kafka, in order; empty while unknown'),
    lag: z.object({
      messages: count.nullable().describe('Messages published and not handled yet; null while unknown'),
      batches: z.number().min(0).describe('Ready batches: on the topic or claimed by a worker'),
      waiting: z.number().min(0).describe('Batches that wait for their next attempt'),
      seconds: z
        .number()
        .min(0)
        .nullable()
        .describe('Lag: seconds of ready work at the current rate; null without progress'),
      aheadBatches: z
        .number()
        .min(0)
        .describe('Users ready here or in earlier steps, or not fed yet by runs without a pace'),
      aheadSeconds: z
        .number()
        .min(0)
        .nullable()
        .describe('Seconds for these at the current rate; null without progress'),
      pacedBatches: z
        .number()
        .min(0)
        .describe('Users not fed yet by runs with a pace, which the pace delays and not the shard'),
      history: z
        .array(z.number().min(0).nullable())
        .describe(
          '`seconds` every 30 seconds of the last 15 minutes, oldest first, measured by this process; null without a measurement or progress',
        ),
    }),
    inFlight: count.describe('Calls in progress'),
    callLimit: count.describe('Limit of concurrent calls'),
    batchesPerSecond: z.number().min(0),
    breaker: z
      .enum(['closed', 'slow-start', 'open'])
      .describe(
        'Circuit breaker shared by all workers. open: the endpoint counts as down; slow-start: it has just recovered',
      ),
    endpoint: z
      .object({
        cause: z.string(),
        since: z.iso.datetime({ precision: 3 }),
        nextTryAt: z.iso
          .datetime({ precision: 3 })
          .nullable()
          .describe('Time of the next attempt; null if an attempt is allowed now'),
      })
      .nullable()
      .describe('Reason why the breaker is open or was until recently; null while it is closed'),
    desiredWorkers: count.describe('Workers needed to finish in a minute; at most one per partition'),
    notes: z.array(z.string()).describe('Notes for people, in plain words'),
    createdAt: z.iso.datetime({ precision: 3 }),
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'Shard' });

export type ShardShape = z.infer<typeof shard>;

export const shardPatch = z
  .strictObject({ partitions: z.int().min(1).max(1000).describe('Number of partitions; it can only be raised') })
  .meta({ id: 'ShardPatch', examples: [{ partitions: 12 }] });
