import * as z from 'zod/mini';

export const shardFilters = ['all', 'breaker', 'lag'] as const;
export type ShardFilter = (typeof shardFilters)[number];

export const shardsSearch = z.object({
  shard: z.catch(z.optional(z.string()), undefined),
  show: z.catch(z.optional(z.enum(shardFilters)), undefined),
  action: z.catch(z.optional(z.string()), undefined),
  country: z.catch(z.optional(z.string()), undefined),
});
