import type { ReceivedReference } from './jobs/received-reference.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { createClientQueue, measureEveryMs, type ClaimedJob, type ClientQueue } from './jobs/client-queue.ts';
import { createClaimsUnderWay } from './claims-under-way.ts';
import { heldUp, nextToBegin } from './jobs/claimed-jobs.ts';
import type { HeldJob } from './jobs/held-job.ts';
import {
  createLookThroughBudget,
  jobsToRelease,
  releaseDelayMs,
  type LookedThrough,
  type ReleasedJob,
} from './released-jobs.ts';
import type { RouteCallEnd } from './routes/route-lines.ts';
import { createRouteMemory } from './routes/route-memory.ts';

/**
 * Milliseconds until the next claims arrive: at most two flushes and a round trip. The dispatcher claims the jobs of
 * this time beyond those that have a slot.
 */
const claimAheadMs = 20;

export interface ClientQueuesDeps {
  /** Calls in flight at once, over all clients; each client may have one call beyond it. */
  concurrency: number;
  /** Returns the call slots of a client here. Claimed jobs begin by this number, also when claiming is closed. */
  concurrencyOf: (clientId: string) => number;
  /** Returns whether claiming is closed for the client, whatever its slots. */
  isClosed?: (clientId: string) => boolean;
  /** Returns the jobs per second that schedulers may send here, by the client's rate; infinite without one. */
  ratePerSecondOf?: (clientId: string) => number;
  /** Returns the client that owns the endpoint; the id itself by default. */
  ownerOf?: (clientId: string) => string;
  /** Begins the call of a job. `done` releases its slot, with the end of the call, or null if no call was made. */
  start: (job: HeldJob, done: (call: RouteCallEnd | null) => void) => void;
  /** Random number in [0, 1). */
  random?: () => number;
  clock: Pick<Clock, 'monotonicMs'>;
}

/**
 * Work of a dispatcher by client: references that wait for their claim, claimed jobs that wait for a slot, and calls.
 * No client waits behind another. A client may have at most half of the slots that others leave free, so that the next
 * client finds room. If many clients have calls that hang, each still has one call beyond the sum. Each endpoint of a
 * client has its own queue. All queues of one client share the client's part, and each leaves half of what is free
 * there to the next.
 */
export interface ClientQueues {
  readonly queued: number;
  readonly waiting: number;
  readonly inFlight: number;
  all(): ReadonlyMap<string, ClientQueue>;
  /** Adds a reference, unless it waits here already. */
  add(reference: ReceivedReference): void;
  queuedOf(clientId: string): number;
  /** Returns the longest time that a claimed job has waited for a slot, in milliseconds. */
  longestWaitMs(): number;
  /**
   * Takes references to claim now: of all clients in turn, oldest first, as many as can begin before the next claims
   * arrive. They count as under way until `hold` or `putBack`.
   */
  take(most: number): ReceivedReference[];
  /** Returns references that could not be claimed to the front of their queues. */
  putBack(references: readonly ReceivedReference[]): void;
  /** Adds jobs whose claims are written. Each begins, or waits for a slot. */
  hold(jobs: readonly HeldJob[]): void;
  /** Begins every claimed job that has a slot by now. @returns jobs that this removes and the caller must release */
  turn(): ReleasedJob[];
  /** Removes all references and claimed jobs. @returns claimed jobs that have not begun */
  clear(): HeldJob[];
}

export function createClientQueues(deps: ClientQueuesDeps): ClientQueues {
  const { concurrency, concurrencyOf, isClosed = () => false, ownerOf = (clientId) => clientId, start, clock } = deps;
  const { ratePerSecondOf = () => Infinity } = deps;
  const routes = createRouteMemory({ monotonicMs: () => clock.monotonicMs(), random: deps.random ?? Math.random });
  /** Queues in the order of their turns. */
  const queues = new Map<string, ClientQueue>();
  /** Queues with claimed jobs that wait for a slot, in the order of their turns: a turn visits no others. */
  const slotless = new Map<string, ClientQueue>();
  const underWay = createClaimsUnderWay();
  const lookThrough = createLookThroughBudget();
  let [queued, waiting, inFlight] = [0, 0, 0];
  let measuredAtMs = clock.monotonicMs();

  function queueOf(clientId: string): ClientQueue {
    const known = queues.get(clientId);
    if (known) return known;
    const queue = createClientQueue(ownerOf(clientId), routes.of(clientId));
    queues.set(clientId, queue);
    return queue;
  }

  function roomOf(clientId: string, queue: ClientQueue): number {
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
    return Math.min(slots, most) + ahead - own + heldUp(queue, usableSlots(clientId, queue));
  }

  function take(most: number): ReceivedReference[] {
    measure();
    const taken: ReceivedReference[] = [];
    // The first round gives each client its share, the second one the shares that others did not use.
    for (const shareOf of [firstShares(most), () => most]) {
      for (const [clientId, queue] of [...queues]) {
        const room = roomOf(clientId, queue);
        const got = queue.take(Math.max(0, Math.min(room, shareOf(queue.ownerId), most - taken.length)));
        if (got.length === 0) continue;
        taken.push(...got);
        underWay.begin(queue, got.length);
        moveBehind(clientId, queue);
      }
    }
    queued -= taken.length;
    return taken;
  }

  /** Returns equal shares for all owners, and equal parts of these for the endpoints of an owner. */
  function firstShares(most: number): (ownerId: string) => number {
    const counts = new Map<string, number>();
    for (const { ownerId } of queues.values()) counts.set(ownerId, (counts.get(ownerId) ?? 0) + 1);
    return (ownerId) => Math.max(1, Math.floor(most / counts.size / (counts.get(ownerId) ?? 1)));
  }

  function moveBehind(clientId: string, queue: ClientQueue): void {
    queues.delete(clientId);
    queues.set(clientId, queue);
    if (slotless.delete(clientId)) slotless.set(clientId, queue);
  }

  function measure(): void {
    const sinceMs = clock.monotonicMs() - measuredAtMs;
    if (sinceMs < measureEveryMs) return;
    measuredAtMs += sinceMs;
    lookThrough.renew();
    for (const [clientId, queue] of [...queues]) {
      queue.measure(sinceMs);
      if (queue.isIdle) queues.delete(clientId);
    }
  }

  /** Returns the calls that the client may have in flight now: its slots, at most half of those free beside it. */
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
    // The slot goes to the same client again, unless at least half of all slots are in use.
    if (inFlight >= concurrency / 2) startOthers();
    else while (startOne(clientId, queue));
  }

  /**
   * Begins one job of each client in turn, as a released slot may be another client's.
   * @returns whether one has begun
   */
  function startOthers(): boolean {
    let hasBegun = false;
    for (const [clientId, queue] of [...slotless]) {
      if (!startOne(clientId, queue)) continue;
      hasBegun = true;
      moveBehind(clientId, queue);
    }
    return hasBegun;
  }

  /** Removes the jobs that wait too long, or whose route will not be called for long. */
  function takeReleased(): ReleasedJob[] {
    const released: ReleasedJob[] = [];
    const nowMs = clock.monotonicMs();
    const outlets = Array.from(slotless, ([clientId, queue]): LookedThrough => {
      const slots = usableSlots(clientId, queue);
      return {
        queue,
        blocked: queue.routes.blocked(slots),
        terms: { slots, ratePerSecond: ratePerSecondOf(clientId) },
      };
    });
    for (const [outlet, claimed] of jobsToRelease(outlets, lookThrough, nowMs)) {
      removeClaimed(claimed.job.clientId, outlet.queue, claimed);
      underWay.note(outlet.queue, -1);
      released.push({ job: claimed.job, delayMs: releaseDelayMs(outlet, claimed, nowMs) });
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
    putBack: (references) => {
      underWay.endAll();
      for (const [clientId, own] of Map.groupBy(references, (reference) => reference.clientId)) {
        queued += queueOf(clientId).putBack(own);
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
