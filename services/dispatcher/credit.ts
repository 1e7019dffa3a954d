import { bandOf } from '../../shared/domain/job/priority-bands.ts';
import type { NodeCredit } from '../../shared/ports/job-nodes.ts';
import type { ClientQueue } from './jobs/client-queue.ts';
import type { ClientQueues } from './client-queues.ts';

/** Milliseconds of a client's pace for which its references may wait here. More jobs wait in the database. */
const queuedMs = 2000;
/** Upper bound on the references of a client without work here. */
const anyClient = 200;
/** References that every client may have, however many clients there are. */
const floor = 20;
/** Upper bound on references in memory, about 200 bytes each. */
const maxQueued = 100_000;

export interface CreditDeps {
  queues: Pick<ClientQueues, 'queued' | 'all'>;
  concurrencyOf: (clientId: string) => number;
}

/** Returns how many references of a client may wait here: those of two seconds, as far as memory allows. */
function boundOf(wanted: number, queuedByOthers: number): number {
  return Math.floor(Math.min(wanted, Math.max(floor, (maxQueued - queuedByOthers) / 2)));
}

function wantedBy({ passedPerSecond }: Pick<ClientQueue, 'passedPerSecond'>, concurrency: number): number {
  return Math.max(2 * concurrency, (passedPerSecond * queuedMs) / 1000);
}

/**
 * Returns how many references schedulers may send of each client, beyond those that are here. Each priority has the
 * same room, so that urgent jobs find some beside a backlog.
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
 * Returns whether a reference may be queued. Schedulers may exceed the credit somewhat: their copy is about 100 ms old,
 * and Kafka may delay messages. References beyond this tolerance are dropped.
 */
export function mayQueue(queues: Pick<ClientQueues, 'queued' | 'queuedOf'>, clientId: string): boolean {
  const own = queues.queuedOf(clientId);
  return own < 2 * anyClient || (queues.queued < 2 * maxQueued && own < maxQueued);
}
