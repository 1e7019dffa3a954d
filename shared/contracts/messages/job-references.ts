import { z } from 'zod';

export const maxReferences = 50;

/**
 * A uuid in lower case, as Postgres writes it. In upper case, the id of the same job would not compare as equal here.
 */
const id = z.string().regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'has to be a uuid in lowercase');

const reference = z.tuple([
  z.int().min(0).max(63),
  z.int().describe('Due time in microseconds since 1970, the precision of Postgres, because the key has to be exact'),
  id,
  z.int().min(0).describe('Index in `clients`'),
]);

/**
 * Due jobs in a Kafka message. The message holds references only: a claim returns the call of the job, or shows that no
 * work is left. The client is included so that no client's jobs wait behind another client's before they are claimed.
 */
export const jobReferences = z.object({
  installation: z.string().optional(),
  clients: z.array(id).min(1).max(maxReferences),
  jobs: z.array(reference).min(1).max(maxReferences),
  priority: z.enum(['low', 'high']).optional().describe('Priority of all these jobs. Default: normal'),
});
