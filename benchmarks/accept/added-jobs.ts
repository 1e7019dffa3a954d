import { v7 as uuidv7 } from 'uuid';
import { clientDefinition } from '../../shared/contracts/jobs/clients.ts';
import { defaultTerms } from '../../shared/contracts/jobs/endpoint-terms.ts';

/** Address without a server. The benchmark measures only how jobs are added, so no job is ever called. */
const unusedUrl = 'http://127.0.0.1:9';
/** Delay of each job: a day, so that no scheduler picks a job up during the benchmark. */
export const delaySeconds = 86_400;
export const rowsPerBareInsert = 500;

/** Creates a job with some 165 bytes of content. */
export function createJob() {
  const key = uuidv7();
  const body = { order: key, what: 'reminder', filler: 'x'.repeat(80) };
  return { url: `${unusedUrl}/hooks/orders`, delaySeconds, idempotencyKey: key, body };
}

export type NewJob = ReturnType<typeof createJob>;

/** Client that owns the jobs. */
export const addedClient = {
  clientId: '11111111-0000-7000-8000-000000000001',
  name: 'orders',
  definition: clientDefinition.parse({ maxStoredJobs: 1_000_000_000 }),
  endpoint: { url: null, terms: defaultTerms.parse({ egress: { allow: [{ cidr: '127.0.0.0/8' }] } }) },
};
