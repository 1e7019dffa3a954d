import * as z from 'zod/mini';

export const shardsSearch = z.object({
  shard: z.catch(z.optional(z.string()), undefined),
});
