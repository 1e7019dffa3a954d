import type { Shard, TopicNames } from '../../../shared/domain/endpoint/shard.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { StepRef } from '../../../shared/ports/step-ledger.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { createLoop } from '../../../shared/runtime/loop.ts';
import type { FeedDirectory } from '../claims/feed-directory.ts';
import type { CallSlots } from '../slots/call-slots.ts';
import type { StepQueue } from './step-queue.ts';
import type { UnstartedInFeed, UnstartedStep, UnstartedSteps } from './unstarted-steps.port.ts';

/** Milliseconds between two turns, and between two successful searches of a feed. */
const pollEveryMs = 50;
/**
 * Maximum pause in milliseconds between two searches of a feed. The pause doubles after each search that finds nothing.
 */
const longestPauseMs = 2000;
/**
 * Milliseconds for which an unstarted step is left to the worker that gets its reference, while references of the feed
 * still arrive.
 */
const onItsWayMs = 200;
/** Milliseconds after the last reference of a feed from which no more references are expected on this worker. */
const quietAfterMs = 100;
/** Maximum share of a database connection's time that searches may take. */
const partOfTime = 1 / 20;
/**
 * Maximum pause in milliseconds between two searches. On a busy database, searches are slow. If the pause grew without
 * limit, free slots would wait for seconds.
 */
const longestRestMs = 500;
/**
 * Number of rounds of calls for which steps are queued. They last until the next search, even after the longest pause.
 */
const roundsAhead = 4;
/** Milliseconds after the last reference or found step from which a feed is no longer searched. */
const livelyMs = 30_000;
const feedsPerSearch = 50;
const stepsPerFeed = 400;
const idleMs = 1000;

export interface UnstartedIntakeDeps {
  unstarted: UnstartedSteps;
  queue: Pick<StepQueue, 'topics' | 'add'>;
  slots: Pick<CallSlots, 'room' | 'roomOf'>;
  directory: Pick<FeedDirectory, 'contextOf'>;
  /** Shards that this worker serves, by topic. */
  shards: { has(topic: string): boolean };
  topics: Pick<TopicNames, 'shard'>;
  onFound: () => void;
  clock: Clock;
  logger: Logger;
}

/**
 * Searches for unstarted steps, which no worker has claimed. A worker with free slots takes such steps, whichever
 * worker has their references, so that any worker can serve the backlog of a partition. A slow, frozen or dead worker
 * therefore delays only the steps that it has claimed (docs/decisions/0047-how-steps-reach-workers.md).
 */
export interface UnstartedIntake {
  onSteps(steps: readonly StepRef[]): void;
  start(): void;
  stopIntake(): void;
  /** Resolves when no search is in progress. */
  stop(): Promise<void>;
}

interface LivelyFeed {
  readonly feedId: string;
  /** Topic of each step of the chain. */
  readonly topics: readonly string[];
  from: number;
  /** Time of the feed's last reference, or of the last search that found a step of the feed. */
  seenAtMs: number;
  /** Time of the feed's last reference. */
  cameAtMs: number;
  /** Time since when at least one of the feed's shards has had free slots and no queued steps. */
  freeSinceMs: number;
  notBeforeMs: number;
  pauseMs: number;
  /** By batch number: its unstarted step, and the time at which this worker first found it. */
  unstartedSince: Map<number, { step: number; sinceMs: number }>;
}

export function createUnstartedIntake(deps: UnstartedIntakeDeps): UnstartedIntake {
  const { unstarted, queue, slots, directory, shards, topics, clock, logger } = deps;
  const feeds = new Map<string, LivelyFeed>();
  let notBeforeMs = 0;
  let isOver = false;

  const loop = createLoop({ name: 'unstarted-intake', turn, afterErrorMs: idleMs, clock, logger });

  async function turn(): Promise<number> {
    const nowMs = clock.monotonicMs();
    const busy = new Set(queue.topics());
    const free = new Map<string, boolean>();
    const isFree = (topic: string): boolean => {
      let known = free.get(topic);
      if (known === undefined) {
        known = shards.has(topic) && !busy.has(topic) && slots.room(topic) > 0;
        free.set(topic, known);
      }
      return known;
    };
    const due: LivelyFeed[] = [];
    for (const feed of feeds.values()) {
      if (nowMs - feed.seenAtMs > livelyMs) feeds.delete(feed.feedId);
      else if (!feed.topics.some(isFree)) {
        Object.assign(feed, { pauseMs: pollEveryMs, notBeforeMs: 0, freeSinceMs: nowMs });
      } else if (feed.notBeforeMs <= nowMs && (isQuiet(feed, nowMs) || nowMs - feed.freeSinceMs >= onItsWayMs)) {
        due.push(feed);
      }
    }
    if (due.length > 0 && !isOver && nowMs >= notBeforeMs) await search(due.slice(0, feedsPerSearch), isFree);
    return feeds.size === 0 ? idleMs : pollEveryMs;
  }

  async function search(due: readonly LivelyFeed[], isFree: (topic: string) => boolean): Promise<void> {
    const startedMs = clock.monotonicMs();
    const windows = due.map(({ feedId, from, topics: { length } }) => ({ feedId, from, chainLength: length }));
    const found = new Map((await unstarted.find(windows, stepsPerFeed)).map((each) => [each.feedId, each]));
    if (isOver) return;
    const nowMs = clock.monotonicMs();
    notBeforeMs = nowMs + Math.min(longestRestMs, (nowMs - startedMs) / partOfTime);
    let isFound = false;
    for (const feed of due) {
      const inFeed = found.get(feed.feedId);
      if (!inFeed) feeds.delete(feed.feedId);
      else if (take(feed, stepsWithoutReference(feed, inFeed, nowMs), isFree)) {
        isFound = true;
        feed.seenAtMs = nowMs;
        delay(feed, pollEveryMs);
      } else {
        feed.from = inFeed.next ?? 1;
        // The next search continues after this window. The pause grows only after a search of the last window.
        delay(feed, inFeed.next === null ? Math.min(2 * feed.pauseMs, longestPauseMs) : feed.pauseMs);
      }
      // The feed moves to the end of the order, so that feeds that were not searched come first.
      if (feeds.delete(feed.feedId)) feeds.set(feed.feedId, feed);
    }
    if (isFound) deps.onFound();
  }

  /** Queues found steps for which there are free slots. A later search finds the others again. */
  function take(feed: LivelyFeed, steps: readonly UnstartedStep[], isFree: (topic: string) => boolean): boolean {
    const { feedId } = feed;
    let isTaken = false;
    for (const [topic, own] of Map.groupBy(steps, ({ step }) => feed.topics[step - 1] ?? '')) {
      if (!isFree(topic)) continue;
      const room = Math.min(slots.room(topic), slots.roomOf(topic, feedId));
      const taken = own.slice(0, roundsAhead * room).map(({ batchNo, step, remaining, isFirst }) => {
        return { feedId, batchNo, step, topic, origin: null, remaining, lost: isFirst ? [] : null };
      });
      queue.add(taken);
      isTaken ||= taken.length > 0;
    }
    return isTaken;
  }

  function delay(feed: LivelyFeed, pauseMs: number): void {
    feed.pauseMs = pauseMs;
    feed.notBeforeMs = clock.monotonicMs() + pauseMs;
  }

  function add(feedId: string, nowMs: number): void {
    const context = directory.contextOf(feedId);
    if (!context) return;
    const shardOf = (actionType: string): Shard => ({ actionType, country: context.country });
    const ofChain = context.chain.map(({ action }) => topics.shard(shardOf(action)));
    const notYet = { notBeforeMs: nowMs + pollEveryMs, pauseMs: pollEveryMs };
    const times = { seenAtMs: nowMs, cameAtMs: nowMs, freeSinceMs: nowMs, ...notYet };
    feeds.set(feedId, { feedId, topics: ofChain, from: 1, ...times, unstartedSince: new Map() });
  }

  return {
    onSteps: (steps) => {
      if (steps.length === 0) return;
      const nowMs = clock.monotonicMs();
      const isFirst = feeds.size === 0;
      for (const { feedId } of steps) {
        const known = feeds.get(feedId);
        if (known) known.seenAtMs = known.cameAtMs = nowMs;
        else add(feedId, nowMs);
      }
      if (isFirst) loop.poke();
    },
    start: () => loop.start(),
    stopIntake: () => {
      isOver = true;
    },
    stop: () => loop.stop(),
  };
}

const isQuiet = ({ cameAtMs }: LivelyFeed, nowMs: number) => nowMs - cameAtMs >= quietAfterMs;

/**
 * Returns the found steps whose reference is probably not on its way to a worker, because no more references of the
 * feed arrive, or because no worker has begun the step for a long time.
 */
function stepsWithoutReference(
  feed: LivelyFeed,
  { steps, next }: UnstartedInFeed,
  nowMs: number,
): readonly UnstartedStep[] {
  const isInWindow = (batchNo: number) => batchNo >= feed.from && (next === null || batchNo < next);
  const before = feed.unstartedSince;
  const isOfOtherWindow = ([batchNo]: [number, unknown]) => !isInWindow(batchNo);
  feed.unstartedSince = new Map([...before].filter(isOfOtherWindow));
  for (const { batchNo, step } of steps) {
    const known = before.get(batchNo);
    feed.unstartedSince.set(batchNo, known?.step === step ? known : { step, sinceMs: nowMs });
  }
  if (isQuiet(feed, nowMs)) return steps;
  return steps.filter(({ batchNo }) => nowMs - (feed.unstartedSince.get(batchNo)?.sinceMs ?? nowMs) >= onItsWayMs);
}
