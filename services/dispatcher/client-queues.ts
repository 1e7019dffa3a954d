import type { HeardReference } from './heard-reference.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { createClientQueue, type ClientQueue } from './client-queue.ts';
import type { HeldJob } from './held-job.ts';

/**
 * What calls get through until the next claims come, at most two flushes and their way: so much is claimed beyond what
 * has a slot.
 */
const claimAheadMs = 20;
/** Between two measurements of how fast each client is. */
const measureEveryMs = 100;

export interface ClientQueuesDeps {
  /** Calls in flight at once, over all clients; beside it, one of each. */
  concurrency: number;
  /** Of a client here. */
  concurrencyOf: (clientId: string) => number;
  /** Nothing more of it may be claimed, whatever its slots. */
  isClosed?: (clientId: string) => boolean;
  /** Begins the call of a job; its slot is given back by `done`. */
  start: (job: HeldJob) => void;
  clock: Pick<Clock, 'monotonicMs'>;
}

/**
 * What dispatchers know of: references that wait for their claim, claimed jobs that wait for a slot, and calls, client
 * by client, so that none waits behind another's. Of all slots a client may have as many as are free beside it: half of
 * them when it is alone, and the next client finds room. Where many have calls that hang, each client still has one
 * call beyond the sum.
 */
export interface ClientQueues {
  readonly queued: number;
  readonly waiting: number;
  readonly inFlight: number;
  /** Clients that have something here. */
  all(): Iterable<[clientId: string, queue: ClientQueue]>;
  /** A reference that waits here already is not added again. */
  add(reference: HeardReference): void;
  queuedOf(clientId: string): number;
  /**
   * To be claimed now, of all clients in turn, the oldest first of each, as many as can begin before the next claims
   * come.
   */
  take(most: number): HeardReference[];
  /** In front of what waits. */
  putBack(references: readonly HeardReference[]): void;
  /** Claimed: each begins, or waits for a slot. */
  hold(jobs: readonly HeldJob[]): void;
  /** The call of one of this client's jobs has ended. */
  done(clientId: string): void;
  /** Forgets all references. @returns what was claimed and has not begun */
  clear(): HeldJob[];
}

export function createClientQueues(deps: ClientQueuesDeps): ClientQueues {
  const { concurrency, concurrencyOf, isClosed = () => false, start, clock } = deps;
  /** In the order of their turns. */
  const queues = new Map<string, ClientQueue>();
  let [queued, waiting, inFlight] = [0, 0, 0];
  let measuredAtMs = clock.monotonicMs();

  function queueOf(clientId: string): ClientQueue {
    const queue = queues.get(clientId) ?? createClientQueue();
    queues.set(clientId, queue);
    return queue;
  }

  /** How many more may be claimed. @param forOthers claims that are about to be made for others */
  function roomOf(clientId: string, queue: ClientQueue, forOthers: number): number {
    if (isClosed(clientId)) return 0;
    const own = queue.inFlight + queue.claimed.length;
    const free = concurrency - (inFlight + waiting - own) - forOthers;
    const slots = Math.min(concurrencyOf(clientId), Math.max(1, Math.ceil(free / 2)));
    return slots + Math.floor((queue.perSecond * claimAheadMs) / 1000) - own;
  }

  function take(most: number): HeardReference[] {
    measure();
    const taken: HeardReference[] = [];
    const takenOf = new Map<string, number>();
    // The first round gives each its share, the second what others left of theirs.
    for (const share of [Math.max(1, Math.floor(most / Math.max(1, queues.size))), most]) {
      for (const [clientId, queue] of [...queues]) {
        const own = takenOf.get(clientId) ?? 0;
        const room = roomOf(clientId, queue, taken.length - own) - own;
        const got = queue.take(Math.max(0, Math.min(room, share, most - taken.length)));
        if (got.length === 0) continue;
        taken.push(...got);
        takenOf.set(clientId, own + got.length);
        moveBehind(clientId, queue);
      }
    }
    queued -= taken.length;
    return taken;
  }

  /** A client that was served goes to the end of the round. */
  function moveBehind(clientId: string, queue: ClientQueue): void {
    queues.delete(clientId);
    queues.set(clientId, queue);
  }

  function measure(): void {
    const sinceMs = clock.monotonicMs() - measuredAtMs;
    if (sinceMs < measureEveryMs) return;
    measuredAtMs += sinceMs;
    for (const [clientId, queue] of [...queues]) {
      queue.measure(sinceMs);
      if (queue.isIdle) queues.delete(clientId);
    }
  }

  /** @returns whether one of its jobs was begun */
  function startOne(clientId: string, queue: ClientQueue): boolean {
    if (queue.inFlight >= Math.min(concurrencyOf(clientId), Math.max(1, concurrency - inFlight))) return false;
    const job = queue.claimed.shift();
    if (!job) return false;
    waiting--;
    queue.inFlight++;
    inFlight++;
    start(job);
    return true;
  }

  /** One job of each client in turn: what one gives back may be room for another. */
  function startOthers(): void {
    for (const [clientId, queue] of [...queues]) {
      if (waiting === 0) return;
      if (startOne(clientId, queue)) moveBehind(clientId, queue);
    }
  }

  return {
    get queued() {
      return queued;
    },
    get waiting() {
      return waiting;
    },
    get inFlight() {
      return inFlight;
    },
    all: () => queues,
    add: (reference) => {
      if (queueOf(reference.clientId).add(reference)) queued++;
    },
    queuedOf: (clientId) => queues.get(clientId)?.length ?? 0,
    take,
    putBack: (references) => {
      for (const [clientId, own] of Map.groupBy(references, (reference) => reference.clientId)) {
        queued += queueOf(clientId).putBack(own);
      }
    },
    hold: (jobs) => {
      for (const job of jobs) {
        const queue = queueOf(job.clientId);
        queue.claimed.push(job);
        waiting++;
        startOne(job.clientId, queue);
      }
    },
    done: (clientId) => {
      const queue = queues.get(clientId);
      if (!queue) return;
      inFlight--;
      queue.inFlight--;
      queue.ended++;
      // The slot is the client's own again, unless all slots together are few.
      if (inFlight >= concurrency / 2) startOthers();
      else while (startOne(clientId, queue));
    },
    clear: () => {
      const left: HeldJob[] = [];
      for (const queue of queues.values()) {
        left.push(...queue.claimed.splice(0));
        queue.take(queue.length);
      }
      [queued, waiting] = [0, 0];
      return left;
    },
  };
}
