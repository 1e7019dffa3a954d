import { bandOf } from '../../shared/domain/job/priority-bands.ts';
import type { NodeCredit } from '../../shared/ports/job-nodes.ts';
import type { ClientQueue } from './jobs/client-queue.ts';
import type { ClientQueues } from './client-queues.ts';

/**
 * Length of a client's queue here, as the time in milliseconds in which the client's jobs pass through. Further jobs
 * wait in the database.
 */
const queuedMs = 2000;
/** Maximum number of references for a client that has no work here yet. */
const anyClient = 200;
/** References that every client may have, however many clients there are. */
const floor = 20;
/** Upper bound on references in memory, about 200 bytes each. */
const maxQueued = 100_000;

export interface CreditDeps {
  queues: Pick<ClientQueues, 'queued' | 'all'>;
  concurrencyOf: (clientId: string) => number;
}

/**
 * Returns how many references of an endpoint may wait here: the wanted number, limited to half of the memory that
 * others leave free, or to `floor` if that is more.
 */
function boundOf(wanted: number, queuedByOthers: number): number {
  return Math.floor(Math.min(wanted, Math.max(floor, (maxQueued - queuedByOthers) / 2)));
}

function wantedBy({ passedPerSecond }: Pick<ClientQueue, 'passedPerSecond'>, concurrency: number): number {
  return Math.max(2 * concurrency, (passedPerSecond * queuedMs) / 1000);
}

/**
 * Returns the credit of this dispatcher: how many more references schedulers may send for each endpoint and priority.
 * Each priority has the same limit, so that urgent jobs are accepted despite a backlog.
 */
export function creditOf({ queues, concurrencyOf }: CreditDeps): NodeCredit {
  const toClients: Record<string, number> = {};
  for (const [clientId, queue] of queues.all()) {
    const bound = boundOf(wantedBy(queue, concurrencyOf(clientId)), queues.queued - queue.length);
    const isAtWork = queue.length > 0 || queue.inFlight > 0;
    if (!isAtWork && bound <= anyClient) continue;
    for (const [priority, length] of queue.bands()) {
      toClients[bandOf(clientId, priority)] = Math.max(0, bound - length);
    }
  }
  return { toAnyClient: boundOf(anyClient, queues.queued), toClients };
}

/**
 * Returns true if a reference may be queued. Schedulers may exceed the credit somewhat, because their copy of it is
 * about 100 ms old, and Kafka may delay messages. References beyond this tolerance are dropped.
 */
export function mayQueue(queues: Pick<ClientQueues, 'queued' | 'queuedOf'>, clientId: string): boolean {
  const own = queues.queuedOf(clientId);
  return own < 2 * anyClient || (queues.queued < 2 * maxQueued && own < maxQueued);
}
