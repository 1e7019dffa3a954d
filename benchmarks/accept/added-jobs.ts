import { v7 as uuidv7 } from 'uuid';
import { clientDefinition } from '../../shared/contracts/jobs/clients.ts';
import { defaultTerms } from '../../shared/contracts/jobs/endpoint-terms.ts';

/** No server listens there: what is measured makes no call. */
const nowhere = 'http://127.0.0.1:9';
/** No scheduler looks at what is due in a day. */
export const delaySeconds = 86_400;
export const barePerStatement = 500;

/** Some 165 bytes of content. */
export function addedJob() {
  const key = uuidv7();
  const body = { order: key, what: 'reminder', filler: 'x'.repeat(80) };
  return { url: `${nowhere}/hooks/orders`, delaySeconds, idempotencyKey: key, body };
}

export type AddedJob = ReturnType<typeof addedJob>;

/** Whose they are. */
export const addedClient = {
  clientId: '11111111-0000-7000-8000-000000000001',
  name: 'orders',
  definition: clientDefinition.parse({ maxStoredJobs: 1_000_000_000 }),
  endpoint: { url: null, terms: defaultTerms.parse({ egress: { allow: [{ cidr: '127.0.0.0/8' }] } }) },
};
