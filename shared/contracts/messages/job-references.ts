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
 * Due jobs in a Kafka message. The message contains references only: a claim returns the call of the job, or shows that
 * no work is left. It names the client of each job, so that a dispatcher can queue jobs by client before it claims
 * them.
 */
export const jobReferences = z.object({
  installation: z.string().optional(),
  clients: z.array(id).min(1).max(maxReferences),
  jobs: z.array(reference).min(1).max(maxReferences),
  priority: z.enum(['low', 'high']).optional().describe('Priority of all these jobs. Default: normal'),
});
