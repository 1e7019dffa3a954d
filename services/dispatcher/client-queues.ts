import type { ReceivedReference } from './jobs/received-reference.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { createClientQueue, measureEveryMs, type ClaimedJob, type ClientQueue } from './jobs/client-queue.ts';
import { createClaimsUnderWay } from './claims-under-way.ts';
import { extraClaims, nextToBegin } from './jobs/claimed-jobs.ts';
import type { HeldJob } from './jobs/held-job.ts';
import {
  createReleaseBudget,
  jobsToRelease,
  releaseDelayMs,
  type ReleasingEndpoint,
  type ReleasedJob,
} from './released-jobs.ts';
import type { RouteCallEnd } from './routes/route-lines.ts';
import { createRouteMemory } from './routes/route-memory.ts';

/**
 * Maximum time in milliseconds from now until the next claims arrive: two flushes and a round trip. The dispatcher
 * claims a job for each free slot, plus as many jobs as it ends in this time.
 */
const claimAheadMs = 20;

export interface ClientQueuesDeps {
  /** Maximum number of calls in flight, over all clients. Each client may exceed it by one call. */
  concurrency: number;
  /**
   * Returns the number of call slots that an endpoint has on this dispatcher. Jobs that are already claimed may use
   * these slots even if no more jobs may be claimed.
   */
  concurrencyOf: (clientId: string) => number;
  /** Returns true if no jobs of an endpoint may be claimed, however many slots are free. */
  isClosed?: (clientId: string) => boolean;
  /**
   * Returns how many jobs per second schedulers may send to this dispatcher for an endpoint; infinite if the endpoint
   * has no rate limit.
   */
  ratePerSecondOf?: (clientId: string) => number;
  /** Returns the client to which an endpoint belongs. Default: the id itself. */
  ownerOf?: (clientId: string) => string;
  /**
   * Begins the call of a job. When the job ends, `start` calls `done` with the result of the call, or with null if no
   * call was made. Then the slot is free.
   */
  start: (job: HeldJob, done: (call: RouteCallEnd | null) => void) => void;
  /** Random number in [0, 1). */
  random?: () => number;
  clock: Pick<Clock, 'monotonicMs'>;
}

/**
 * Queues of a dispatcher, one per endpoint of a client. In this file, `clientId` is the id of the endpoint. A queue
 * contains references that wait for their claim, claimed jobs that wait for a slot, and calls. No client waits for
 * another client's calls to end: a client may use at most half of the slots that others leave free, so the next client
 * finds free slots. If calls of many clients hang, each client may still make one call beyond the total limit. All
 * endpoints of a client share the client's slots, and each endpoint leaves half of the client's free slots to the
 * others.
 */
export interface ClientQueues {
  readonly queued: number;
  readonly waiting: number;
  readonly inFlight: number;
  all(): ReadonlyMap<string, ClientQueue>;
  /** Adds a reference to a due job, unless the queue already contains it. */
  add(reference: ReceivedReference): void;
  queuedOf(clientId: string): number;
  /** Returns the longest time that a claimed job has waited for a slot, in milliseconds. */
  longestWaitMs(): number;
  /**
   * Takes references to be claimed now, from all queues in turn, oldest first. Takes as many references as there are
   * jobs that can begin before the next claims arrive. Until `hold` or `requeue` is called, these references count as
   * being claimed.
   */
  take(most: number): ReceivedReference[];
  /** Returns references that could not be claimed to the front of their queues. */
  requeue(references: readonly ReceivedReference[]): void;
  /** Adds jobs whose claims are written. Each job begins, or waits for a slot. */
  hold(jobs: readonly HeldJob[]): void;
  /**
   * Begins every claimed job for which a slot is now free.
   * @returns jobs that left the queues without a call, which the caller must release
   */
  turn(): ReleasedJob[];
  /** Removes all references and claimed jobs from the queues. @returns claimed jobs whose calls have not begun */
  clear(): HeldJob[];
}

export function createClientQueues(deps: ClientQueuesDeps): ClientQueues {
  const { concurrency, concurrencyOf, isClosed = () => false, ownerOf = (clientId) => clientId, start, clock } = deps;
  const { ratePerSecondOf = () => Infinity } = deps;
  const routes = createRouteMemory({ monotonicMs: () => clock.monotonicMs(), random: deps.random ?? Math.random });
  /** All queues by endpoint, in the order of their turns. */
  const queues = new Map<string, ClientQueue>();
  /** Queues with claimed jobs that wait for a slot, in the order of their turns. A turn visits only these queues. */
  const slotless = new Map<string, ClientQueue>();
  const underWay = createClaimsUnderWay();
  const releaseBudget = createReleaseBudget();
  let [queued, waiting, inFlight] = [0, 0, 0];
  let measuredAtMs = clock.monotonicMs();

  function queueOf(clientId: string): ClientQueue {
    const known = queues.get(clientId);
    if (known) return known;
    const queue = createClientQueue(ownerOf(clientId), routes.of(clientId));
    queues.set(clientId, queue);
    return queue;
  }

  function claimableOf(clientId: string, queue: ClientQueue): number {
    const slots = isClosed(clientId) ? 0 : concurrencyOf(clientId);
    if (slots === 0) return 0;
    const { ownerId } = queue;
    const own = queue.inFlight + queue.claimed.length + queue.claiming;
    const ofOwner = underWay.ofOwner(ownerId);
    const free = concurrency - (inFlight + waiting + underWay.claiming - ofOwner);
    const share = Math.max(1, Math.ceil(free / 2));
    const beside = ofOwner - own;
    const most = ownerId === clientId && beside === 0 ? share : Math.max(1, Math.ceil((share - beside) / 2));
    const ahead = Math.floor((queue.perSecond * claimAheadMs) / 1000);
    return Math.min(slots, most) + ahead - own + extraClaims(queue, usableSlots(clientId, queue));
  }

  function take(most: number): ReceivedReference[] {
    measure();
    const taken: ReceivedReference[] = [];
    // In the first round, each client gets an equal share. In the second round, clients get the shares that others did
    // not use.
    for (const shareOf of [firstShares(most), () => most]) {
      for (const [clientId, queue] of [...queues]) {
        const room = claimableOf(clientId, queue);
        const got = queue.take(Math.max(0, Math.min(room, shareOf(queue.ownerId), most - taken.length)));
        if (got.length === 0) continue;
        taken.push(...got);
        underWay.begin(queue, got.length);
        moveToEnd(clientId, queue);
      }
    }
    queued -= taken.length;
    return taken;
  }

  /** Computes equal shares of `most` for all clients, divided equally among the endpoints of a client. */
  function firstShares(most: number): (ownerId: string) => number {
    const counts = new Map<string, number>();
    for (const { ownerId } of queues.values()) counts.set(ownerId, (counts.get(ownerId) ?? 0) + 1);
    return (ownerId) => Math.max(1, Math.floor(most / counts.size / (counts.get(ownerId) ?? 1)));
  }

  function moveToEnd(clientId: string, queue: ClientQueue): void {
    queues.delete(clientId);
    queues.set(clientId, queue);
    if (slotless.delete(clientId)) slotless.set(clientId, queue);
  }

  function measure(): void {
    const sinceMs = clock.monotonicMs() - measuredAtMs;
    if (sinceMs < measureEveryMs) return;
    measuredAtMs += sinceMs;
    releaseBudget.renew();
    for (const [clientId, queue] of [...queues]) {
      queue.measure(sinceMs);
      if (queue.isIdle) queues.delete(clientId);
    }
  }

  /**
   * Returns how many calls the endpoint may have in flight now: its slots, but at most half of the slots that other
   * endpoints leave free.
   */
  function usableSlots(clientId: string, queue: ClientQueue): number {
    const ofOthers = inFlight - queue.inFlight;
    return Math.min(concurrencyOf(clientId), Math.max(1, Math.ceil((concurrency - ofOthers) / 2)));
  }

  function startOne(clientId: string, queue: ClientQueue): boolean {
    const slots = usableSlots(clientId, queue);
    if (queue.inFlight >= slots) return false;
    const next = nextToBegin(queue, slots);
    if (!next) return false;
    removeClaimed(clientId, queue, next);
    begin(clientId, queue, next);
    return true;
  }

  function begin(clientId: string, queue: ClientQueue, { job, line }: ClaimedJob): void {
    const startedMs = clock.monotonicMs();
    queue.inFlight++;
    inFlight++;
    queue.routes.begin(line);
    start(job, (call) => {
      queue.routes.end(line, startedMs, call);
      done(clientId);
    });
  }

  function removeClaimed(clientId: string, queue: ClientQueue, claimed: ClaimedJob): void {
    const [first] = queue.claimed;
    if (first === claimed) queue.claimed.shift();
    else queue.claimed.splice(queue.claimed.indexOf(claimed), 1);
    claimed.line.waiting--;
    waiting--;
    if (queue.claimed.length === 0) slotless.delete(clientId);
  }

  function done(clientId: string): void {
    const queue = queues.get(clientId);
    if (!queue) return;
    inFlight--;
    underWay.note(queue, -1);
    queue.inFlight--;
    queue.ended++;
    // The next job of the same client gets the slot, unless at least half of all slots are in use.
    if (inFlight >= concurrency / 2) startOthers();
    else while (startOne(clientId, queue));
  }

  /**
   * Begins one job of each endpoint in turn, because a released slot may be usable by another endpoint.
   * @returns true if at least one job has begun
   */
  function startOthers(): boolean {
    let hasBegun = false;
    for (const [clientId, queue] of [...slotless]) {
      if (!startOne(clientId, queue)) continue;
      hasBegun = true;
      moveToEnd(clientId, queue);
    }
    return hasBegun;
  }

  /** Removes claimed jobs that have waited too long, or whose route will not be called for a long time. */
  function takeReleased(): ReleasedJob[] {
    const released: ReleasedJob[] = [];
    const nowMs = clock.monotonicMs();
    const endpoints = Array.from(slotless, ([clientId, queue]): ReleasingEndpoint => {
      const slots = usableSlots(clientId, queue);
      return {
        queue,
        blocked: queue.routes.blocked(slots),
        terms: { slots, ratePerSecond: ratePerSecondOf(clientId) },
      };
    });
    for (const [endpoint, claimed] of jobsToRelease(endpoints, releaseBudget, nowMs)) {
      removeClaimed(claimed.job.clientId, endpoint.queue, claimed);
      underWay.note(endpoint.queue, -1);
      released.push({ job: claimed.job, delayMs: releaseDelayMs(endpoint, claimed, nowMs) });
    }
    return released;
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
    longestWaitMs: () => {
      const nowMs = clock.monotonicMs();
      return Math.max(0, ...Array.from(slotless.values(), ({ claimed: [first] }) => nowMs - (first?.sinceMs ?? nowMs)));
    },
    take,
    requeue: (references) => {
      underWay.endAll();
      for (const [clientId, own] of Map.groupBy(references, (reference) => reference.clientId)) {
        queued += queueOf(clientId).requeue(own);
      }
    },
    hold: (jobs) => {
      underWay.endAll();
      const sinceMs = clock.monotonicMs();
      for (const job of jobs) {
        const queue = queueOf(job.clientId);
        const line = queue.routes.of(job.route, concurrencyOf(job.clientId));
        line.waiting++;
        queue.claimed.push({ job, sinceMs, line });
        underWay.note(queue, 1);
        waiting++;
        startOne(job.clientId, queue);
        if (queue.claimed.length > 0) slotless.set(job.clientId, queue);
      }
    },
    turn: () => {
      while (startOthers());
      return takeReleased();
    },
    clear: () => {
      const left: HeldJob[] = [];
      for (const queue of queues.values()) {
        const claimed = queue.claimed.splice(0);
        underWay.note(queue, -claimed.length);
        for (const { line } of claimed) line.waiting--;
        left.push(...claimed.map(({ job }) => job));
        queue.take(queue.length);
      }
      slotless.clear();
      [queued, waiting] = [0, 0];
      return left;
    },
  };
}
