/*
 * Between a claim and its call stand six limits. A step that one of them holds back stays unclaimed, or waits claimed
 * in its feed's line; it never fails for it. A claim is made where `room` and `roomOf` are left; a call begins when
 * all of these let it, asked in this order:
 *
 * | no. | limit                | bounds                                    | of                       | learns from           | file              |
 * | --- | -------------------- | ----------------------------------------- | ------------------------ | --------------------- | ----------------- |
 * | 1   | breaker              | calls to an endpoint that is down         | shard, all workers       | ends, the store       | breaker.ts        |
 * | 2   | adaptive limit       | calls that the endpoint takes well        | shard, this worker       | time-outs, 429, times | adaptive-limit.ts |
 * | 3   | first calls          | a burst after silence                     | shard, this worker       | answers, time         | slot-group.ts     |
 * | 4   | feed's line          | a feed of which little is known           | feed in a shard          | answers               | slot-group.ts     |
 * | 5   | pools                | calls at once; slow ones leave some over  | action type, then worker | mean times            | slot-pool.ts      |
 * | 6   | rate                 | calls and users per second                | action type, all workers | the store             | rate-limit.ts     |
 *
 * 1 to 3 together are `slotsOf`; the shard with the fewest calls in flight comes first, and in it the feed with the
 * fewest (next-line.ts). The rate comes last, because it is taken: whose turn it is waits for it, or a large batch
 * would wait for ever behind small ones. The same bounds, in steps instead of calls, limit what is claimed ahead
 * (`roomOfGroup`, `roomOfFeed`). What a call's end teaches is in learn-from-call.ts; guard-keeper.ts and rate-keeper.ts
 * exchange it with the other workers.
 */
import { heldBackForMs, nextLine } from './next-line.ts';
import { learnFromCall, type ServedCall } from './learn-from-call.ts';
import {
  beginCall,
  endCall,
  lineOf,
  measureFlush,
  roomOfFeed,
  roomOfGroup,
  slotsOf,
  type FeedLine,
  type SlotGroup,
} from './slot-group.ts';
import type { SlotGroups } from './slot-groups.ts';
import { createWorkerPool, isSlow } from './slot-pool.ts';
import type { Work } from '../work.ts';

/** Claims that wait for a slot, over all shards; each shard may have a few beyond it. */
const maxWaiting = 1500;
const waitingFloor = 10;

/** From one flush to the next: where nothing else is to be gathered, where slots would wait, and at the most. */
const aloneFlushMs = 5;
export const quickFlushMs = 25;
const slowestFlushMs = 100;
/** Where fewer calls are under way, a flush waits for each of them twice: what it costs is shared by more results. */
const fewCalls = 50;

export interface CallSlotsDeps {
  /** What is learned of the shards is in them. */
  groups: SlotGroups;
  /** Calls in flight over all action types. */
  concurrency: number;
  leaseMs: number;
  /**
   * Makes the call, or finds that it must not be made, and hands on what became of it. Never rejects. Resolves when the
   * slot is free again; with null when no call was made.
   */
  serve: (work: Work) => Promise<ServedCall | null>;
  /** A breaker has something to report to the store. */
  onReport: () => void;
  /** Takes back what was claimed and will not be called now. */
  release: (works: readonly Work[], pause: ReleasePause | null) => void;
  monotonicMs: () => number;
}

/** The shard's endpoint is down: what is given back is to come again then. */
export interface ReleasePause {
  cause: string;
  delayMs: number;
}

/**
 * Claimed steps wait here for a call slot of their shard. Slots are shared evenly by what is in flight (max-min fair):
 * over the shards, and inside each over its feeds, so that a feed whose calls take long holds no more of them than
 * others, and none is without.
 */
export interface CallSlots {
  /**
   * How many more steps of the shard may be claimed now, and how many of one of its feeds.
   * @param flushesMore further ahead of the calls, by what is called between so many flushes; 0 unless given
   */
  room(topic: string, flushesMore?: number): number;
  roomOf(topic: string, feedId: string, flushesMore?: number): number;
  add(works: readonly Work[]): void;
  /**
   * How long after a flush the next one may wait for more. Endpoints that take long bring little in a short time, and
   * what is claimed ahead keeps the slots busy meanwhile: so long as a call of the quickest takes, or two where few are
   * under way.
   * @param queued topics with steps that wait to be claimed: a free slot of theirs waits no longer than necessary
   */
  betweenFlushesMs(queued: Iterable<string>): number;
  /** Results were recorded and claims made. @param took its part of the time from one flush to the next, in [0, 1] */
  onFlush(took: number): void;
  /**
   * Until a shard that lets no call through now, because its endpoint is down or asked for a pause, does so; infinite
   * when none will by itself.
   */
  nextCallInMs(topics: Iterable<string>): number;
  /** Feeds with steps that wait for a slot. */
  waitingFeeds(): string[];
  /** Releases what waits of these feeds: their runs were stopped, however long it would be until a slot is free. */
  releaseFeeds(feedIds: readonly string[]): void;
  /**
   * The shard's endpoint is down: what waits is given back until the next probe, and it begins anew when it is back.
   */
  onOpened(topic: string): void;
  /** Begins calls that time, or other bounds, have made room for. */
  resume(): void;
  /** No more calls begin: what waits for one, and what is still added, is released. */
  close(): void;
  /** Resolves when no call is in flight. */
  idle(): Promise<void>;
}

export function createCallSlots(deps: CallSlotsDeps): CallSlots {
  const { serve, release, monotonicMs } = deps;
  let flushes = 1;
  const aheadBy = (flushesMore: number) => ({ leaseMs: deps.leaseMs, flushes: flushes + flushesMore });
  const total = createWorkerPool(deps.concurrency);
  const groups = deps.groups.all;
  let waiting = 0;
  let turns = 0;
  let closed = false;
  let whenIdle = Promise.withResolvers<null>();

  function start(): void {
    for (;;) {
      const nowMs = monotonicMs();
      const next = closed ? undefined : nextLine(groups.values(), total, nowMs);
      const [work] = next?.line.waiting.take(1) ?? [];
      if (!next || !work) return;
      waiting--;
      void call(next.group, next.line, work, nowMs);
    }
  }

  async function call(group: SlotGroup, line: FeedLine, work: Work, startedMs: number): Promise<void> {
    const wasSlow = isSlow(line);
    beginCall(group, line, ++turns, startedMs);
    group.breaker.onBegin(startedMs);
    group.rate?.take(work.count, startedMs);
    group.pool.begin(wasSlow, startedMs);
    total.begin(wasSlow, startedMs);
    const served = await serve(work);
    const nowMs = monotonicMs();
    group.pool.end(wasSlow);
    total.end(wasSlow);
    const before = group.breaker.report;
    if (!served) group.breaker.onNoCall();
    else if (learnFromCall({ group, line, startedMs, nowMs }, served)) giveBack(group, nowMs);
    if (group.breaker.report !== before) deps.onReport();
    endCall(group, line, served && nowMs - startedMs, nowMs);
    start();
    if (total.inFlight === 0) whenIdle.resolve(null);
  }

  function giveBack(group: SlotGroup, nowMs: number): void {
    const { breaker, adaptive } = group;
    adaptive.reset();
    releaseGroup(group, { cause: breaker.cause(nowMs) ?? '', delayMs: breaker.retryInMs(nowMs) });
  }

  function releaseGroup(group: SlotGroup, pause: ReleasePause | null): void {
    for (const line of group.lines.values()) releaseLine(group, line, pause);
  }

  function releaseLine(group: SlotGroup, line: FeedLine, pause: ReleasePause | null): void {
    const works = line.waiting.take(line.waiting.size);
    group.waiting -= works.length;
    waiting -= works.length;
    release(works, pause);
  }

  function hasFreeSlot(topic: string, nowMs: number): boolean {
    const group = groups.get(topic);
    return group === undefined || group.inFlight + group.waiting < slotsOf(group, nowMs);
  }

  return {
    betweenFlushesMs: (queued) => {
      if (total.inFlight + waiting === 0) return aloneFlushMs;
      const nowMs = monotonicMs();
      for (const topic of queued) if (hasFreeSlot(topic, nowMs)) return quickFlushMs;
      const rounds = total.inFlight < fewCalls ? 2 : 1;
      let quickestMs = slowestFlushMs;
      for (const [topic, { inFlight, meanMs }] of groups.entries()) {
        if (inFlight === 0) continue;
        if (hasFreeSlot(topic, nowMs)) return quickFlushMs;
        quickestMs = Math.min(quickestMs, rounds * meanMs);
      }
      return Math.max(quickFlushMs, Math.round(quickestMs));
    },
    room: (topic, flushesMore = 0) => {
      const group = groups.get(topic);
      if (!group || closed) return 0;
      const left = Math.max(maxWaiting - waiting, waitingFloor - group.waiting);
      return Math.max(0, Math.min(roomOfGroup(group, aheadBy(flushesMore), monotonicMs()), left));
    },
    roomOf: (topic, feedId, flushesMore = 0) => {
      const group = groups.get(topic);
      return group ? roomOfFeed(group, feedId, aheadBy(flushesMore)) : 0;
    },
    add: (works) => {
      // A flush that was under way when the slots closed may still bring claims.
      if (closed) {
        release(works, null);
        return;
      }
      const nowMs = monotonicMs();
      for (const work of works) {
        const group = deps.groups.of(work.topic);
        lineOf(group, work.claim.feedId, nowMs).waiting.push(work);
        group.waiting++;
        waiting++;
      }
      start();
    },
    onFlush: (took) => {
      flushes = 1 + took;
      for (const group of groups.values()) measureFlush(group);
    },
    waitingFeeds: () => {
      if (waiting === 0) return [];
      const lines = [...groups.values()].flatMap((group) => [...group.lines.values()]);
      return [...new Set(lines.filter((line) => line.waiting.size > 0).map(({ feedId }) => feedId))];
    },
    releaseFeeds: (feedIds) => {
      for (const group of groups.values()) {
        for (const feedId of feedIds) {
          const line = group.lines.get(feedId);
          if (line && line.waiting.size > 0) releaseLine(group, line, null);
        }
      }
    },
    onOpened: (topic) => giveBack(deps.groups.of(topic), monotonicMs()),
    nextCallInMs: (topics) => {
      const nowMs = monotonicMs();
      const queued = new Set(topics);
      let soonest = Number.POSITIVE_INFINITY;
      for (const group of groups.values()) {
        if (group.waiting > 0 || queued.has(group.topic)) soonest = Math.min(soonest, heldBackForMs(group, nowMs));
      }
      return soonest;
    },
    resume: start,
    close: () => {
      closed = true;
      for (const group of groups.values()) releaseGroup(group, null);
    },
    idle: async () => {
      if (total.inFlight === 0) return;
      whenIdle = Promise.withResolvers();
      await whenIdle.promise;
    },
  };
}
