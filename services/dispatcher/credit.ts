import { bandOf } from '../../shared/domain/job/priority-bands.ts';
import type { NodeCredit } from '../../shared/ports/job-nodes.ts';
import type { ClientQueue } from './jobs/client-queue.ts';
import type { ClientQueues } from './client-queues.ts';

/**
 * Maximum length of a client's queue on this dispatcher, as the time in milliseconds in which the dispatcher works off
 * the queue. Further jobs wait in the database.
 */
const queuedMs = 2000;
/** Maximum number of references for a client without jobs on this dispatcher. */
const anyClient = 200;
/** Number of references that every client may have, however many clients there are. */
const floor = 20;
/** Upper bound on the references in memory, over all clients. A reference takes about 200 bytes. */
const maxQueued = 100_000;

export interface CreditDeps {
  queues: Pick<ClientQueues, 'queued' | 'all'>;
  concurrencyOf: (clientId: string) => number;
}

/**
 * Returns how many references of an endpoint may wait on this dispatcher. This is `wanted`, limited to half of the
 * memory that other endpoints leave free. The limit is never below `floor`.
 */
function boundOf(wanted: number, queuedByOthers: number): number {
  return Math.floor(Math.min(wanted, Math.max(floor, (maxQueued - queuedByOthers) / 2)));
}

function wantedBy({ passedPerSecond }: Pick<ClientQueue, 'passedPerSecond'>, concurrency: number): number {
  return Math.max(2 * concurrency, (passedPerSecond * queuedMs) / 1000);
}

/**
 * Returns the credit of this dispatcher: how many more references schedulers may send for each endpoint and priority.
 * The limit applies to each priority separately, so urgent jobs are accepted despite a backlog of others.
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
 * Returns true if the queue has room for one more reference. Schedulers may exceed the credit, because they read it
 * about 100 ms late, and Kafka may delay messages. This function tolerates that up to a limit, and the caller drops the
 * references beyond it.
 */
export function mayQueue(queues: Pick<ClientQueues, 'queued' | 'queuedOf'>, clientId: string): boolean {
  const own = queues.queuedOf(clientId);
  return own < 2 * anyClient || (queues.queued < 2 * maxQueued && own < maxQueued);
}
