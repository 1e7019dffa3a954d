import { bandOf } from '../../shared/domain/job/priority-bands.ts';
import type { NodeCredit } from '../../shared/ports/job-nodes.ts';
import type { ClientQueue } from './jobs/client-queue.ts';
import type { ClientQueues } from './client-queues.ts';

/** Jobs that a client's calls and releases get through in this time may wait here; more wait in the database. */
const queuedMs = 2000;
/** For each client that has nothing here. */
const anyClient = 200;
/** Every client has so much, however many there are. */
const floor = 20;
/** References in memory, some 200 bytes each. */
const maxQueued = 100_000;

export interface CreditDeps {
  queues: Pick<ClientQueues, 'queued' | 'all'>;
  concurrencyOf: (clientId: string) => number;
}

/** How many references of a client may wait here: what its calls get through in two seconds, while there is memory. */
function boundOf(wanted: number, queuedByOthers: number): number {
  return Math.floor(Math.min(wanted, Math.max(floor, (maxQueued - queuedByOthers) / 2)));
}

function wantedBy({ passedPerSecond }: Pick<ClientQueue, 'passedPerSecond'>, concurrency: number): number {
  return Math.max(2 * concurrency, (passedPerSecond * queuedMs) / 1000);
}

/**
 * What may be sent here of each client, beyond what is here already. Each priority of it has the same room, so that
 * what is urgent finds some beside a backlog.
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
 * Schedulers may send somewhat more, as what they know is some 100 ms old, and Kafka may hold things up. What exceeds
 * this as well is not kept.
 */
export function mayQueue(queues: Pick<ClientQueues, 'queued' | 'queuedOf'>, clientId: string): boolean {
  const own = queues.queuedOf(clientId);
  return own < 2 * anyClient || (queues.queued < 2 * maxQueued && own < maxQueued);
}
