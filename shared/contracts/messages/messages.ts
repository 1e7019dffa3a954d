import { z } from 'zod';
import { maxUserIdBytes } from '../../domain/ids/user-id.ts';

// The first field of every message, `installation`, names its installation. The publisher adds the field, and the
// consumer checks it before it parses the message (shared/runtime/installation/installation-bus.ts).

/** Limit that keeps messages small. If a batch has more lost users, the claim of the step reads them. */
export const maxLostInMessage = 20;

/**
 * A message on a shard's topic: references to committed batches of one (feed, step), never users. It can be rebuilt
 * from the database at any time, and a repeat is harmless.
 *
 * - `remaining`: for each batch, the number of users that are still to be served.
 * - `lost`: for each batch, the users that the chain has lost before this step, or null if the claim must read them.
 *   Absent in step 1 of a fed batch, where no user can be lost.
 *
 * If the rows contradict either field, the rows apply. A message that exceeds what a publisher writes is invalid: this
 * limits the memory that a worker needs for a partition.
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
