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
  /** Whose endpoint it is; itself unless given. */
  ownerOf?: (clientId: string) => string;
  /** Begins the call of a job; its slot is given back by `done`. */
  start: (job: HeldJob) => void;
  clock: Pick<Clock, 'monotonicMs'>;
}

/**
 * What dispatchers know of: references that wait for their claim, claimed jobs that wait for a slot, and calls, client
 * by client, so that none waits behind another's. Of all slots a client may have as many as are free beside it: half of
 * them when it is alone, and the next client finds room. Where many have calls that hang, each client still has one
 * call beyond the sum. An endpoint is as a client here, but for what all of one client may have together: that is what
 * the client may have, and each of them leaves half of what is free there to the next.
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
  const { concurrency, concurrencyOf, isClosed = () => false, ownerOf = (clientId) => clientId, start, clock } = deps;
  /** In the order of their turns. */
  const queues = new Map<string, ClientQueue>();
  /** By owner, what was claimed of it and has not ended. */
  const underWay = new Map<string, number>();
  let [queued, waiting, inFlight] = [0, 0, 0];
  let measuredAtMs = clock.monotonicMs();

  function queueOf(clientId: string): ClientQueue {
    const queue = queues.get(clientId) ?? createClientQueue(ownerOf(clientId));
    queues.set(clientId, queue);
    return queue;
  }

  function noteOf({ ownerId }: ClientQueue, count: number): void {
    const sum = (underWay.get(ownerId) ?? 0) + count;
    if (sum > 0) underWay.set(ownerId, sum);
    else underWay.delete(ownerId);
  }

  /** How many more may be claimed. @param taken what is about to be claimed of it, of its owner, and of all */
  function roomOf(clientId: string, queue: ClientQueue, taken: { own: number; ofOwner: number; all: number }): number {
    if (isClosed(clientId)) return 0;
    const { ownerId } = queue;
    const own = queue.inFlight + queue.claimed.length;
    const all = underWay.get(ownerId) ?? 0;
    const free = concurrency - (inFlight + waiting - all) - (taken.all - taken.ofOwner);
    const share = Math.max(1, Math.ceil(free / 2));
    const beside = all - own + taken.ofOwner - taken.own;
    const most = ownerId === clientId && beside === 0 ? share : Math.max(1, Math.ceil((share - beside) / 2));
    const ahead = Math.floor((queue.perSecond * claimAheadMs) / 1000);
    return Math.min(concurrencyOf(clientId), most) + ahead - own - taken.own;
  }

  function take(most: number): HeardReference[] {
    measure();
    const taken: HeardReference[] = [];
    const takenOf = new Map<string, number>();
    const takenOfOwner = new Map<string, number>();
    // The first round gives each its share, the second what others left of theirs.
    for (const shareOf of [firstShares(most), () => most]) {
      for (const [clientId, queue] of [...queues]) {
        const { ownerId } = queue;
        const [own, ofOwner] = [takenOf.get(clientId) ?? 0, takenOfOwner.get(ownerId) ?? 0];
        const room = roomOf(clientId, queue, { own, ofOwner, all: taken.length });
        const got = queue.take(Math.max(0, Math.min(room, shareOf(ownerId), most - taken.length)));
        if (got.length === 0) continue;
        taken.push(...got);
        takenOf.set(clientId, own + got.length);
        takenOfOwner.set(ownerId, ofOwner + got.length);
        moveBehind(clientId, queue);
      }
    }
    queued -= taken.length;
    return taken;
  }

  /** The same for each owner, and of it for each of its endpoints. */
  function firstShares(most: number): (ownerId: string) => number {
    const counts = new Map<string, number>();
    for (const { ownerId } of queues.values()) counts.set(ownerId, (counts.get(ownerId) ?? 0) + 1);
    return (ownerId) => Math.max(1, Math.floor(most / Math.max(1, counts.size) / (counts.get(ownerId) ?? 1)));
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
        noteOf(queue, 1);
        waiting++;
        startOne(job.clientId, queue);
      }
    },
    done: (clientId) => {
      const queue = queues.get(clientId);
      if (!queue) return;
      inFlight--;
      noteOf(queue, -1);
      queue.inFlight--;
      queue.ended++;
      // The slot is the client's own again, unless all slots together are few.
      if (inFlight >= concurrency / 2) startOthers();
      else while (startOne(clientId, queue));
    },
    clear: () => {
      const left: HeldJob[] = [];
      for (const queue of queues.values()) {
        const claimed = queue.claimed.splice(0);
        noteOf(queue, -claimed.length);
        left.push(...claimed);
        queue.take(queue.length);
      }
      [queued, waiting] = [0, 0];
      return left;
    },
  };
}
