import { z } from 'zod';

const count = z.int().min(0);

/** HTTP shape of a shard: an action type in a country, with one topic. */
export const shard = z
  .object({
    id: z.string().describe('<action type>.<country>'),
    actionType: z.string(),
    country: z.string(),
    topic: z.string(),
    partitions: z.object({
      wanted: z.int().min(1).describe('As somebody set it; only raised'),
      actual: count.nullable().describe('As Kafka has it; null while it is not known'),
    }),
    workers: z
      .array(z.object({ worker: z.string(), partitions: z.array(count) }))
      .describe('Who serves it, and which partitions each has'),
    lanes: z
      .array(
        z.object({
          partition: count,
          worker: z.string().nullable().describe('Who has it; null where nobody does'),
          messages: count.describe('Published there and not handled'),
        }),
      )
      .describe('Its partitions as Kafka has them, in order; empty while they are not known'),
    lag: z.object({
      messages: count.nullable().describe('Published and not handled; null while it is not known'),
      batches: z.number().min(0).describe('Ready: on the topic, or a worker has them'),
      waiting: z.number().min(0).describe('Held back: batches that were put back, until they are due'),
      seconds: z
        .number()
        .min(0)
        .nullable()
        .describe('How far behind it is: what is ready here, at the rate of now; null where nothing moves'),
      aheadBatches: z
        .number()
        .min(0)
        .describe('Ready here or in steps before, or still to be fed by runs without a pace: what workers could do'),
      aheadSeconds: z.number().min(0).nullable().describe('The same at the rate of now; null where nothing moves'),
      pacedBatches: z
        .number()
        .min(0)
        .describe('Still to be fed by runs with a pace: it is that which holds them back, not the shard'),
      history: z
        .array(z.number().min(0).nullable())
        .describe(
          '`seconds` every 30 seconds of the last quarter of an hour, oldest first, as this process saw it; null where it did not look, or nothing moved',
        ),
    }),
    inFlight: count.describe('Calls under way'),
    callLimit: count.describe('Calls that may be under way'),
    batchesPerSecond: z.number().min(0),
    breaker: z
      .enum(['closed', 'slow-start', 'open'])
      .describe('As all workers share it. open: its endpoint counts as down; slow-start: it has just come back'),
    endpoint: z
      .object({
        cause: z.string(),
        since: z.iso.datetime({ precision: 3 }),
        nextTryAt: z.iso.datetime({ precision: 3 }).nullable().describe('null once it may be tried'),
      })
      .nullable()
      .describe('Why the breaker is open, or was until a moment ago; null while it is closed'),
    desiredWorkers: count.describe('To be through in a minute; at most one for each partition'),
    notes: z.array(z.string()).describe('What a person should know, in plain words'),
    createdAt: z.iso.datetime({ precision: 3 }),
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'Shard' });

export type ShardShape = z.infer<typeof shard>;

export const shardPatch = z
  .strictObject({ partitions: z.int().min(1).max(1000).describe('Raised under load; never lowered') })
  .meta({ id: 'ShardPatch', examples: [{ partitions: 12 }] });
