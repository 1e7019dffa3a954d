import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { StepResult, TimedStep } from '../../../shared/ports/step-ledger.ts';
import type { FeedDirectory } from '../claims/feed-directory.ts';
import { isHeld } from '../step/step-state.ts';
import type { StoppedFeeds } from '../claims/stopped-feeds.ts';
import type { QueuedStep, Work } from '../step/work.ts';
import type { StepQueue } from './step-queue.ts';

/**
 * Share of a lease within which a retry must be due to be kept in memory. Later retries are left to the agenda, from
 * which the sweeper offers them.
 */
const partOfLease = 1 / 3;
/**
 * Upper bound on the steps in memory plus the users that earlier steps lost. Each takes about 150 bytes. Further steps
 * are left to the agenda.
 */
const maxHeld = 100_000;
/** Width in milliseconds of the buckets that group steps by due time. It is about the interval of flushes. */
const bucketMs = 25;
/** Milliseconds by which steps are queued late, because the database's clock may be slightly behind this worker's. */
const marginMs = 10;

export interface TimedStepsDeps {
  queue: Pick<StepQueue, 'hasRoom' | 'requeue'>;
  directory: Pick<FeedDirectory, 'standingOf'>;
  stops: Pick<StoppedFeeds, 'isStopped'>;
  /** Shards that this worker serves, by topic. */
  shards: ReadonlyMap<string, Shard>;
  leaseMs: number;
  clock: Clock;
}

/**
 * Retries that are due soon stay in the memory of the worker that recorded them. When they are due, the worker queues
 * them, ahead of its other steps of the same feed and step, and in turn with all others. If this worker has stopped or
 * has no room for them, the sweeper offers them from the agenda later (docs/decisions/0047-how-steps-reach-workers.md).
 */
export interface TimedSteps {
  /**
   * Returns the milliseconds within which a recorded step must be due to be kept in memory. Undefined when no more
   * steps are kept.
   */
  withinMs(): number | undefined;
  /**
   * Keeps steps until they are due.
   * @param works by the result with which each step was recorded, its work
   */
  add(timed: readonly TimedStep[], works: ReadonlyMap<StepResult, Work>): void;
  /** Queues the steps that are due. Steps of stopped runs and held steps are left to the agenda. */
  queueDue(): void;
  /** Returns the milliseconds until the next step is due; infinite if there is none. */
  nextInMs(): number;
  /** Drops all steps, which leaves them to the agenda. */
  stop(): void;
}

export function createTimedSteps(deps: TimedStepsDeps): TimedSteps {
  const { queue, directory, stops, shards, clock } = deps;
  const withinMs = deps.leaseMs * partOfLease;
  /**
   * Steps by due time, in units of `bucketMs`. There are few buckets, because only steps that are due soon are kept.
   */
  const buckets = new Map<number, QueuedStep[]>();
  let held = 0;
  let isOver = false;

  function isToBeQueued({ topic, feedId, step }: QueuedStep): boolean {
    if (!shards.has(topic) || stops.isStopped(feedId)) return false;
    return !isHeld(directory.standingOf(feedId, step)) && queue.hasRoom(topic, 1);
  }

  return {
    withinMs: () => (isOver || held >= maxHeld ? undefined : withinMs),
    add: (timed, works) => {
      if (isOver) return;
      const nowMs = clock.monotonicMs();
      for (const step of timed) {
        const work = works.get(step.result);
        if (!work) continue;
        const at = Math.ceil((nowMs + step.dueInMs + marginMs) / bucketMs);
        const bucket = buckets.get(at) ?? [];
        const queued = queuedOf(step, work);
        bucket.push(queued);
        buckets.set(at, bucket);
        held += weightOf(queued);
      }
    },
    queueDue: () => {
      const nowMs = clock.monotonicMs();
      const due = [...buckets.keys()].filter((at) => at * bucketMs <= nowMs).toSorted((a, b) => a - b);
      if (due.length === 0) return;
      const steps = due.flatMap((at) => buckets.get(at) ?? []);
      for (const at of due) buckets.delete(at);
      for (const step of steps) held -= weightOf(step);
      queue.requeue(steps.filter(isToBeQueued));
    },
    nextInMs: () => {
      let first = Number.POSITIVE_INFINITY;
      for (const at of buckets.keys()) first = Math.min(first, at);
      return Math.max(0, first * bucketMs - clock.monotonicMs());
    },
    stop: () => {
      isOver = true;
      buckets.clear();
    },
  };
}

function weightOf({ lost }: QueuedStep): number {
  return 1 + (lost?.length ?? 0);
}

/**
 * Returns the step to queue. For a child batch, the list of lost users is empty, because it contains only users who
 * remained.
 */
function queuedOf({ feedId, batchNo, step, users }: TimedStep, work: Work): QueuedStep {
  const ofWhom = users === null ? { remaining: work.count, lost: work.lost } : { remaining: users, lost: [] };
  return { feedId, batchNo, step, topic: work.topic, origin: null, ...ofWhom };
}
