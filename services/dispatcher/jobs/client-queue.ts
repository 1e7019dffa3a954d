import { bandOrder, createPriorityTurns } from '../../../shared/domain/job/priority-bands.ts';
import type { Priority } from '../../../shared/domain/priorities.ts';
import type { ReceivedReference } from './received-reference.ts';
import type { HeldJob } from './held-job.ts';
import type { RouteLine } from '../routes/route-line.ts';
import type { RouteLines } from '../routes/route-lines.ts';
import { createReferenceLine, type ReferenceLine } from './reference-line.ts';

/** Milliseconds between two measurements of the speed of each client. */
export const measureEveryMs = 100;
/** Weight of a new measurement: several calls that end together, as slow ones do, are no rate. */
const newWeight = 0.2;
/** Weight of a measurement in a moment without work: it shows hardly anything about the speed of calls. */
const idleWeight = 0.03;
/** Rate below which a client need not be remembered: its credit would not exceed that of a new client. */
const rememberedPerSecond = 50;

export interface ClaimedJob {
  job: HeldJob;
  /** Monotonic time at which its wait began. */
  sinceMs: number;
  line: RouteLine;
}

export interface ClientQueue {
  /** Client that owns the endpoint; the client itself if there is no endpoint. */
  readonly ownerId: string;
  /** Number of references that wait for their claim, of all priorities. */
  readonly length: number;
  /** Returns the same number for each priority that occurred, and always for the normal one. */
  bands(): Iterable<[priority: Priority, length: number]>;
  /** Number of references whose claims are being written. They count as under way: some of them are already claimed. */
  claiming: number;
  /** Claimed jobs without a slot, the oldest first. */
  readonly claimed: ClaimedJob[];
  inFlight: number;
  /** Jobs of the client by the routes that they call. */
  readonly routes: RouteLines;
  /** Calls that ended since the last measurement. */
  ended: number;
  /** Jobs of blocked routes that were released since the last measurement. */
  lookedThrough: number;
  /** The same, since they have been the only jobs found. */
  lookedInVain: number;
  /** Time at which jobs of blocked routes were released last. */
  lookedAtMs: number;
  /** Calls that end per second, as measured over about the last second. */
  readonly perSecond: number;
  /** Calls that end and released jobs of blocked routes, per second. */
  readonly passedPerSecond: number;
  /** True if the client has no work here, and no speed to remember. */
  readonly isIdle: boolean;
  /** @returns false if the reference is here already */
  add(reference: ReceivedReference): boolean;
  /** Takes the oldest references. If several priorities wait, they take turns. */
  take(count: number): readonly ReceivedReference[];
  /** Returns references to the front. @returns the number of those that were not here */
  putBack(references: readonly ReceivedReference[]): number;
  measure(sinceMs: number): void;
}

export function createClientQueue(ownerId: string, routes: RouteLines): ClientQueue {
  const usual = createReferenceLine();
  /** Lines by priority: the normal one, and those that occurred. */
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
    lookedThrough: 0,
    lookedInVain: 0,
    lookedAtMs: -Infinity,
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
    putBack: (back) => {
      const missing = back.filter((reference) => !known.has(keyOf(reference)));
      for (const reference of missing) known.add(keyOf(reference));
      for (const [line, own] of Map.groupBy(missing, lineOf)) line.putBack(own);
      return missing.length;
    },
    measure: (sinceMs) => {
      const passed = queue.ended + queue.lookedThrough;
      const weight = isEmpty() && passed === 0 ? idleWeight : newWeight;
      perSecond += weight * ((queue.ended * 1000) / sinceMs - perSecond);
      passedPerSecond += weight * ((passed * 1000) / sinceMs - passedPerSecond);
      queue.ended = 0;
      queue.lookedThrough = 0;
    },
  };
  return queue;
}

function keyOf({ jobId, dueUs }: ReceivedReference): string {
  return `${jobId}/${dueUs}`;
}
