/*
 * Between a claim and its call stand six limits. A step that one of them holds back stays unclaimed, or waits claimed
 * in its feed's line; it never fails for it. A claim is made where `room` and `roomOf` are left; a call begins when
 * all of these let it, asked in this order:
 *
 * | no. | limit                | bounds                                    | of                       | learns from           | file              |
 * | --- | -------------------- | ----------------------------------------- | ------------------------ | --------------------- | ----------------- |
 * | 1   | breaker              | calls to an endpoint that is down         | shard, all workers       | ends, the store       | breaker.ts        |
 * | 2   | adaptive limit       | calls that the endpoint takes well        | shard, this worker       | time-outs, 429        | adaptive-limit.ts |
 * | 3   | first calls          | a burst after silence                     | shard, this worker       | answers, time         | slot-group.ts     |
 * | 4   | feed's guard         | a new feed, one that is answered badly    | feed in a shard          | ends, 429, times      | source-guard.ts   |
 * | 5   | pools                | calls at once; slow ones leave some over  | action type, then worker | mean times            | slot-pool.ts      |
 * | 6   | rate                 | calls and users per second                | action type, all workers | the store             | rate-limit.ts     |
 *
 * 1 to 3 together are `slotsOf`; the shard with the fewest calls in flight comes first, and in it the feed with the
 * fewest (next-line.ts). The rate comes last, because it is taken: whose turn it is waits for it, or a large batch
 * would wait for ever behind small ones. The same bounds, in steps instead of calls, limit what is claimed ahead
 * (`roomOfGroup`, `roomOfFeed`). A call teaches its feed's guard; 1 and 2 learn only what is not the feed's own matter
 * (own-matter.ts, learn-from-call.ts). Slots of a feed that is answered badly are lent to others (lent-slots.ts). All
 * feeds whose last call was not answered share half of the shard's slots while another feed is answered
 * (failing-feeds.ts).
 * guard-keeper.ts and rate-keeper.ts exchange what was learned with the other workers.
 */
import { heldBackForMs, nextLine, type NextLine } from './next-line.ts';
import { learnFromCall, type CallInLine, type ServedCall } from './learn-from-call.ts';
import { roomOfFeed, roomOfGroup } from './claim-room.ts';
import { betweenFlushesMs } from './flush-pace.ts';
import { createLentSlots } from './lent-slots.ts';
import { beginFirstHand, probesLeft, sharesProbe } from './open-breaker.ts';
import { beginCall, endCall, isServed, lineOf, measureFlush, type FeedLine, type SlotGroup } from './slot-group.ts';
import type { SlotGroups } from './slot-groups.ts';
import { createWorkerPool, isSlow } from './slot-pool.ts';
import type { Work } from '../step/work.ts';

/** Claims that wait for a slot, over all shards; each shard may have a few beyond it. */
const maxWaiting = 1500;
const waitingFloor = 10;

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
  /** True if the feed shares its room with all other feeds of the shard for which this is true. */
  sharesRoom(topic: string, feedId: string): boolean;
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
  const lent = createLentSlots(groups, total);
  let waiting = 0;
  let turns = 0;
  let closed = false;
  let whenIdle = Promise.withResolvers<null>();

  function start(): void {
    while (waiting > 0 && !closed) {
      const nowMs = monotonicMs();
      lent.refresh(nowMs);
      const next = nextLine(groups.values(), total, nowMs);
      const [work] = next?.line.waiting.take(1) ?? [];
      if (!next || !work) return;
      waiting--;
      void call(next, work, nowMs);
    }
  }

  async function call({ group, line, isFirstHand }: NextLine, work: Work, startedMs: number): Promise<void> {
    const wasSlow = isSlow(line);
    beginCall(group, line, ++turns, startedMs);
    if (isFirstHand) beginFirstHand(group, startedMs);
    else group.breaker.onBegin(startedMs);
    group.rate?.take(work.count, startedMs);
    group.pool.begin(wasSlow, startedMs);
    total.begin(wasSlow, startedMs);
    if (wasSlow) line.slow++;
    const served = await serve(work);
    const nowMs = monotonicMs();
    group.pool.end(wasSlow);
    total.end(wasSlow);
    if (wasSlow) line.slow--;
    const before = group.breaker.report;
    if (served) learn({ group, line, startedMs, nowMs, isFirstHand }, served);
    else if (!isFirstHand) group.breaker.onNoCall();
    if (group.breaker.report !== before) deps.onReport();
    if (isFirstHand) group.firstHand--;
    endCall(group, line, served && nowMs - startedMs, nowMs);
    lent.onChange(group, line);
    start();
    releaseBlocked(group, nowMs);
    if (total.inFlight === 0) whenIdle.resolve(null);
  }

  function learn(ended: CallInLine, served: ServedCall): void {
    if (served.end !== 'answered') ended.line.cause = served.cause;
    if (learnFromCall(ended, served)) giveBack(ended.group, ended.nowMs);
  }

  function pauseOf({ breaker }: SlotGroup, nowMs: number): ReleasePause {
    return { cause: breaker.cause(nowMs) ?? '', delayMs: breaker.retryInMs(nowMs) };
  }

  /** Feeds that are served keep what waits: their next call shows whether the endpoint is down for them too. */
  function giveBack(group: SlotGroup, nowMs: number): void {
    group.adaptive.reset();
    for (const line of group.lines.values()) {
      line.guard.onOpened();
      if (line.guard.isFailing || !isServed(line, nowMs)) releaseLine(group, line, pauseOf(group, nowMs));
    }
  }

  /** Releases what lines that may not call have claimed, except for a probe that is due: leases would run out. */
  function releaseBlocked(group: SlotGroup, nowMs: number): void {
    if (group.waiting === 0) return;
    const isOpen = group.breaker.isOpen(nowMs);
    let probes = isOpen ? probesLeft(group, nowMs) : 0;
    for (const line of group.lines.values()) {
      const { guard, waiting: works, cause } = line;
      if (isOpen && guard.isFailing) {
        const kept = Math.min(probes, works.size);
        probes -= kept;
        releaseLine(group, line, pauseOf(group, nowMs), kept);
      } else if (!isOpen && guard.isTroubled && guard.waitMs(nowMs) > 0) {
        releaseLine(group, line, { cause, delayMs: guard.waitMs(nowMs) });
      }
    }
  }

  function resume(): void {
    start();
    const nowMs = monotonicMs();
    for (const group of groups.values()) releaseBlocked(group, nowMs);
  }

  function releaseGroup(group: SlotGroup, pause: ReleasePause | null): void {
    for (const line of group.lines.values()) releaseLine(group, line, pause);
  }

  /** @param kept how many of the oldest stay */
  function releaseLine(group: SlotGroup, line: FeedLine, pause: ReleasePause | null, kept = 0): void {
    if (line.waiting.size <= kept) return;
    const works = line.waiting.take(line.waiting.size);
    line.waiting.putBack(works.splice(0, kept));
    group.waiting -= works.length;
    waiting -= works.length;
    release(works, pause);
  }

  return {
    betweenFlushesMs: (queued) =>
      betweenFlushesMs({ groups, inFlight: total.inFlight, waiting }, queued, monotonicMs()),
    room: (topic, flushesMore = 0) => {
      const group = groups.get(topic);
      if (!group || closed) return 0;
      const nowMs = monotonicMs();
      lent.refresh(nowMs);
      const left = Math.max(maxWaiting - waiting, waitingFloor - group.waiting);
      return Math.max(0, Math.min(roomOfGroup(group, aheadBy(flushesMore), nowMs), left));
    },
    roomOf: (topic, feedId, flushesMore = 0) => {
      const group = groups.get(topic);
      return group ? roomOfFeed(group, feedId, aheadBy(flushesMore), monotonicMs()) : 0;
    },
    sharesRoom: (topic, feedId) => {
      const group = groups.get(topic);
      return group !== undefined && sharesProbe(group, feedId, monotonicMs());
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
      resume();
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
          if (line) releaseLine(group, line, null);
        }
      }
    },
    onOpened: (topic) => giveBack(deps.groups.of(topic), monotonicMs()),
    nextCallInMs: (topics) => {
      const nowMs = monotonicMs();
      const queued = new Set(topics);
      let soonest = Number.POSITIVE_INFINITY;
      for (const group of groups.values()) {
        const isQueued = queued.has(group.topic);
        if (group.waiting > 0 || isQueued) soonest = Math.min(soonest, heldBackForMs(group, isQueued, nowMs));
      }
      return soonest;
    },
    resume,
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
