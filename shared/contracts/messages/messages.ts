import { z } from 'zod';

// Every message says in its first field, `installation`, whose it is: it is put there when it is published, and looked
// at before it is parsed (shared/runtime/installation/installation-bus.ts).

/**
 * A message on a shard's topic: references to committed batches of one (feed, step), never users. It can be rebuilt
 * from the database at any time, and a repeat is harmless.
 *
 * - `remaining`: for each batch, how many users are left to be served.
 * - `lost`: for each, the users that the chain has lost before this step, or null where the claim has to read them.
 *   Absent in step 1 of a fed batch, where no user can be lost.
 *
 * Neither is believed where the rows say something else.
 */
export const stepMessage = z.object({
  feedId: z.uuid().lowercase(),
  step: z.int().min(1).max(32767),
  batchNos: z.array(z.int().min(1)).min(1).max(50),
  remaining: z.array(z.int().min(1).max(1000)),
  lost: z.array(z.array(z.string()).nullable()).optional(),
});

export type StepMessage = z.infer<typeof stepMessage>;
