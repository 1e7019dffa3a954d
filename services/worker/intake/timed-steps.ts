import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { StepResult, TimedStep } from '../../../shared/ports/step-ledger.ts';
import type { FeedDirectory } from '../claims/feed-directory.ts';
import { isHeld } from '../step/step-standing.ts';
import type { StoppedFeeds } from '../claims/stopped-feeds.ts';
import type { QueuedStep, Work } from '../step/work.ts';
import type { StepQueue } from './step-queue.ts';

/** What is due later than this part of a lease is left to the agenda. */
const partOfLease = 1 / 3;
/** Steps, and users lost before them: some 150 bytes each at most. What comes beyond is left to the agenda. */
const maxHeld = 100_000;
/** Looked at together, about as often as the worker flushes. */
const bucketMs = 25;
/** By the database's clock a step is due a little later, where its clock and ours do not run alike. */
const marginMs = 10;

export interface TimedStepsDeps {
  queue: Pick<StepQueue, 'hasRoom' | 'putBack'>;
  directory: Pick<FeedDirectory, 'standingOf'>;
  stops: Pick<StoppedFeeds, 'isStopped'>;
  /** Those that this worker serves, by topic. */
  shards: ReadonlyMap<string, Shard>;
  leaseMs: number;
  clock: Clock;
}

/**
 * Retries that are due soon come back to the worker that recorded them: it queues them when they are due, before what
 * it has of the same feed and step, and in turn with all others. The agenda offers them later, where this worker is
 * gone, or has no room (docs/decisions/0047-how-steps-reach-workers.md).
 */
export interface TimedSteps {
  /** What is recorded now may be due here within this time; undefined where nothing more is timed. */
  withinMs(): number | undefined;
  /** @param works of the results that they were recorded with */
  add(timed: readonly TimedStep[], works: ReadonlyMap<StepResult, Work>): void;
  /** Queues what is due, unless its run is stopped or its step held: then the agenda has it. */
  queueDue(): void;
  /** Until something is due; infinite when nothing is timed. */
  nextInMs(): number;
  /** Leaves all of it to the agenda. */
  stop(): void;
}

export function createTimedSteps(deps: TimedStepsDeps): TimedSteps {
  const { queue, directory, stops, shards, clock } = deps;
  const withinMs = deps.leaseMs * partOfLease;
  /** By when they are due, in units of `bucketMs`: few, since nothing is due late. */
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
      queue.putBack(steps.filter(isToBeQueued));
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

/** No user of a child batch was lost before: it was made of those who were left. */
function queuedOf({ feedId, batchNo, step, users }: TimedStep, work: Work): QueuedStep {
  const ofWhom = users === null ? { remaining: work.count, lost: work.lost } : { remaining: users, lost: [] };
  return { feedId, batchNo, step, topic: work.topic, origin: null, ...ofWhom };
}
