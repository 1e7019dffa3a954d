import { bandOrder, createPriorityTurns } from '../../../shared/domain/job/priority-bands.ts';
import type { Priority } from '../../../shared/domain/priorities.ts';
import type { ReceivedReference } from './received-reference.ts';
import type { HeldJob } from './held-job.ts';
import type { RouteLine } from '../routes/route-line.ts';
import type { RouteLines } from '../routes/route-lines.ts';
import { createReferenceLine, type ReferenceLine } from './reference-line.ts';

/** Time in milliseconds between two measurements of how fast the calls of each queue end. */
export const measureEveryMs = 100;
/**
 * Weight of a new measurement in the average rate. The weight is small, because several slow calls that end together
 * would look like a high rate.
 */
const newWeight = 0.2;
/**
 * Weight of a measurement taken while the queue had no work. The weight is very small, because such a measurement shows
 * hardly anything about the speed of calls.
 */
const idleWeight = 0.03;
/**
 * Rate in calls per second below which the dispatcher discards an idle queue and its rate. A new queue without a rate
 * has at least as much credit.
 */
const rememberedPerSecond = 50;

export interface ClaimedJob {
  job: HeldJob;
  /** Monotonic time at which the wait for a slot began. */
  sinceMs: number;
  line: RouteLine;
}

export interface ClientQueue {
  /** Client that owns the endpoint of this queue. */
  readonly ownerId: string;
  /** Number of references that wait for their claim, of all priorities. */
  readonly length: number;
  /**
   * Returns the number of waiting references for each priority. The priority `normal` is always included.
   * Another priority is included after a reference with this priority was queued.
   */
  bands(): Iterable<[priority: Priority, length: number]>;
  /**
   * Number of references whose claims are being written. For the limits, they count as claimed jobs, because Postgres
   * may already have written the claims.
   */
  claiming: number;
  /** Claimed jobs without a slot, the oldest first. */
  readonly claimed: ClaimedJob[];
  inFlight: number;
  /** Calls and waiting jobs of this queue, by route. */
  readonly routes: RouteLines;
  /** Calls that ended since the last measurement. */
  ended: number;
  /** Jobs of blocked routes that were released since the last measurement. */
  releasedBlocked: number;
  /** Number of jobs of blocked routes that were released since the endpoint last had jobs of another route. */
  releasedWithoutOtherRoute: number;
  /** Monotonic time at which jobs of blocked routes were last released. */
  releasedAtMs: number;
  /** Rate at which calls end, per second, averaged over about the last second. */
  readonly perSecond: number;
  /** Rate at which calls end and jobs of blocked routes are released, together, per second. */
  readonly passedPerSecond: number;
  /** True if the queue is empty and its rate is too small to be worth keeping. */
  readonly isIdle: boolean;
  /** Adds a reference. @returns false if the queue already contains the reference */
  add(reference: ReceivedReference): boolean;
  /** Takes the oldest references. If several priorities wait, they take turns. */
  take(count: number): readonly ReceivedReference[];
  /**
   * Returns references to the front of the queue.
   * @returns the number of references that were added, without those that the queue already contains
   */
  requeue(references: readonly ReceivedReference[]): number;
  measure(sinceMs: number): void;
}

export function createClientQueue(ownerId: string, routes: RouteLines): ClientQueue {
  const usual = createReferenceLine();
  /** Queues by priority: `normal`, and each other priority that has occurred. */
  const lines = new Map<Priority, ReferenceLine>([['normal', usual]]);
  const turns = createPriorityTurns();
  const known = new Set<string>();
  let perSecond = 0;
  let passedPerSecond = 0;

  function lineOf({ priority: given }: ReceivedReference): ReferenceLine {
    const priority = given ?? 'normal';
    const line = lines.get(priority) ?? createReferenceLine();
    lines.set(priority, line);
    return line;
  }

  function takeInTurn(count: number): readonly ReceivedReference[] {
    const got: ReceivedReference[] = [];
    while (got.length < count) {
      const waiting = bandOrder.filter((priority) => (lines.get(priority)?.length ?? 0) > 0);
      if (waiting.length < 2) return got.concat(lines.get(waiting[0] ?? 'normal')?.take(count - got.length) ?? []);
      const priority = turns.next(waiting);
      turns.took(priority);
      got.push(...(lines.get(priority)?.take(1) ?? []));
    }
    return got;
  }

  const isEmpty = () => queue.length + queue.claiming + queue.claimed.length + queue.inFlight === 0;

  const queue: ClientQueue = {
    ownerId,
    routes,
    get length() {
      let length = 0;
      for (const line of lines.values()) length += line.length;
      return length;
    },
    bands: () => Array.from(lines, ([priority, line]) => [priority, line.length]),
    claiming: 0,
    claimed: [],
    inFlight: 0,
    ended: 0,
    releasedBlocked: 0,
    releasedWithoutOtherRoute: 0,
    releasedAtMs: -Infinity,
    get perSecond() {
      return perSecond;
    },
    get passedPerSecond() {
      return passedPerSecond;
    },
    get isIdle() {
      return isEmpty() && perSecond < rememberedPerSecond;
    },
    add: (reference) => {
      const key = keyOf(reference);
      if (known.has(key)) return false;
      known.add(key);
      lineOf(reference).add(reference);
      return true;
    },
    take: (count) => {
      const got = lines.size === 1 ? usual.take(count) : takeInTurn(count);
      for (const reference of got) known.delete(keyOf(reference));
      return got;
    },
    requeue: (returned) => {
      const missing = returned.filter((reference) => !known.has(keyOf(reference)));
      for (const reference of missing) known.add(keyOf(reference));
      for (const [line, own] of Map.groupBy(missing, lineOf)) line.requeue(own);
      return missing.length;
    },
    measure: (sinceMs) => {
      const passed = queue.ended + queue.releasedBlocked;
      const weight = isEmpty() && passed === 0 ? idleWeight : newWeight;
      perSecond += weight * ((queue.ended * 1000) / sinceMs - perSecond);
      passedPerSecond += weight * ((passed * 1000) / sinceMs - passedPerSecond);
      queue.ended = 0;
      queue.releasedBlocked = 0;
    },
  };
  return queue;
}

function keyOf({ jobId, dueUs }: ReceivedReference): string {
  return `${jobId}/${dueUs}`;
}
