import { z } from 'zod';

/** Most jobs that one message names. */
export const maxReferences = 50;

/** As Postgres writes them: in capitals, the same job would be another one here. */
const id = z.string().regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'has to be a uuid in small letters');

const reference = z.tuple([
  z.int().min(0).max(63),
  z.int().describe('When it was due, in microseconds since 1970: Postgres keeps so much, and the key has to be exact'),
  id,
  z.int().min(0).describe('Whose it is: a place in `clients`'),
]);

/**
 * Jobs that are due, as they lie on Kafka. They are references: a claim tells what is to be called, or that there is
 * nothing to do any more. The client stands there so that no client's jobs wait behind another's before they are
 * claimed.
 */
export const jobReferences = z.object({
  installation: z.string().optional(),
  clients: z.array(id).min(1).max(maxReferences),
  jobs: z.array(reference).min(1).max(maxReferences),
  priority: z.enum(['low', 'high']).optional().describe('Of all of them; normal unless given'),
});
