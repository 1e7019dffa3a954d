import { z } from 'zod';

const serveOrder = z.object({
  order: z.literal('serve'),
  batches: z.int(),
  terms: z.object({ url: z.string(), form: z.enum(['full', 'compact']), campaignId: z.string(), inFlight: z.int() }),
});

/** Orders that the benchmark sends to the processes of a peer (a job queue that Muster is compared with). */
export const order = z.discriminatedUnion('order', [
  z.object({
    order: z.literal('open'),
    queue: z.string(),
    servers: z.object({ redisPort: z.int(), databaseUrl: z.string() }),
  }),
  z.object({ order: z.literal('empty') }),
  z.object({ order: z.literal('enqueue'), segmentationUrl: z.string(), users: z.int() }),
  serveOrder,
  /** Stores jobs without work, due evenly over a span. The answer is the time when all are stored. */
  z.object({ order: z.literal('store'), jobs: z.int(), fromMs: z.int(), overMs: z.int() }),
  /** Runs the stored jobs. The answer is the lag of each job in milliseconds. */
  z.object({ order: z.literal('watch'), jobs: z.int(), atOnce: z.int(), pollEveryMs: z.int() }),
]);

export type Order = z.infer<typeof order>;
export type ServeOrder = z.infer<typeof serveOrder>;
export type StoreOrder = Extract<Order, { order: 'store' }>;
export type WatchOrder = Extract<Order, { order: 'watch' }>;
