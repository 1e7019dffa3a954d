import * as z from 'zod/mini';

export const shardViews = ['all', 'breaker', 'lag'] as const;
export type ShardsShown = (typeof shardViews)[number];

export const shardsSearch = z.object({
  shard: z.catch(z.optional(z.string()), undefined),
  show: z.catch(z.optional(z.enum(shardViews)), undefined),
  action: z.catch(z.optional(z.string()), undefined),
  country: z.catch(z.optional(z.string()), undefined),
});
