import { z } from 'zod';
import { maxUserIdBytes } from '../../domain/ids/user-id.ts';

// Every message says in its first field, `installation`, whose it is: it is put there when it is published, and looked
// at before it is parsed (shared/runtime/installation/installation-bus.ts).

/** Beyond this many lost users of a batch, the claim of the step reads them: messages stay small. */
export const maxLostInMessage = 20;

/**
 * A message on a shard's topic: references to committed batches of one (feed, step), never users. It can be rebuilt
 * from the database at any time, and a repeat is harmless.
 *
 * - `remaining`: for each batch, how many users are left to be served.
 * - `lost`: for each, the users that the chain has lost before this step, or null where the claim has to read them.
 *   Absent in step 1 of a fed batch, where no user can be lost.
 *
 * Neither is believed where the rows say something else. A message that holds more than a publisher ever writes is
 * none: what a worker keeps in memory of a lane is bounded by it.
 */
export const stepMessage = z.object({
  feedId: z.uuid().lowercase(),
  step: z.int().min(1).max(32767),
  batchNos: z.array(z.int().min(1)).min(1).max(50),
  remaining: z.array(z.int().min(1).max(1000)).max(50),
  lost: z
    .array(z.array(z.string().max(maxUserIdBytes)).max(maxLostInMessage).nullable())
    .max(50)
    .optional(),
});

export type StepMessage = z.infer<typeof stepMessage>;
