/*
 * Call slots of a worker. Six limits apply between a claim and its call. A step that a limit delays stays unclaimed, or
 * waits claimed in its feed's line; the step never fails because of a limit. The worker claims steps while `room` and
 * `roomOf` are above 0. A call begins when all limits allow it, checked in this order:
 *
 * | no. | limit                | bounds                                    | scope                    | learns from           | file              |
 * | --- | -------------------- | ----------------------------------------- | ------------------------ | --------------------- | ----------------- |
 * | 1   | breaker              | calls to an endpoint that is down         | shard, all workers       | ends, the store       | breaker.ts        |
 * | 2   | adaptive limit       | calls that the endpoint takes well        | shard, this worker       | time-outs, 429        | adaptive-limit.ts |
 * | 3   | first calls          | a burst after silence                     | shard, this worker       | answers, time         | slot-group.ts     |
 * | 4   | feed's guard         | a new feed, or a feed with bad answers    | feed in a shard          | ends, 429, times      | source-guard.ts   |
 * | 5   | pools                | calls at once; slow feeds leave a reserve | action type, then worker | mean times            | slot-pool.ts      |
 * | 6   | rate                 | calls and users per second                | action type, all workers | the store             | rate-limit.ts     |
 *
 * `slotsOf` combines limits 1 to 3. The shard with the fewest calls in flight comes first, and within the shard the
 * run with the fewest (next-line.ts). The rate is checked last because the check consumes tokens. The line whose turn
 * it is waits for the rate; otherwise a large batch would wait forever behind small ones. A feed whose run must be read
 * first gets no slot until it is read. The same bounds, counted in
 * steps, limit the claims ahead of the calls (`roomOfGroup`, `roomOfFeed`). The end of a call always informs its feed's
 * guard. Limits 1 and 2 learn only from ends that do not concern the feed alone (own-matter.ts, learn-from-call.ts).
 * Other feeds may use the slots of a feed in trouble (lent-slots.ts). All feeds whose last call was not answered share
 * half of the shard's slots while another feed is answered (failing-feeds.ts). guard-keeper.ts and rate-keeper.ts
 * exchange the learned state with the other workers.
 */
import type { Admission, FeedDirectory } from '../claims/feed-directory.ts';
import { blockedForMs, nextLine, type NextLine } from './next-line.ts';
import { learnFromCall, type CallInLine, type ServedCall } from './learn-from-call.ts';
import { roomOfFeed, roomOfGroup } from './claim-room.ts';
import { betweenFlushesMs } from './flush-pace.ts';
import { createLentSlots } from './lent-slots.ts';
import { beginFirstHand, probesLeft, sharesProbe } from './open-breaker.ts';
import { beginCall, endCall, isServed, lineOf, measureFlush, type FeedLine, type SlotGroup } from './slot-group.ts';
import type { SlotGroups } from './slot-groups.ts';
import { createWorkerPool, isSlow } from './slot-pool.ts';
import type { Work } from '../step/work.ts';

/**
 * Maximum number of claims that wait for a slot, over all shards. In addition, each shard may always have
 * `waitingFloor`.
 */
const maxWaiting = 1500;
const waitingFloor = 10;

export interface CallSlotsDeps {
  /** Slot groups by shard, with the state learned from their calls. */
  groups: SlotGroups;
  /** Maximum number of calls in flight, over all action types. */
  concurrency: number;
  leaseMs: number;
  /**
   * Makes the call, or decides that it must not be made, and passes the outcome on. Never rejects. Resolves when the
   * slot is free again: with the call, or with null if no call was made.
   */
  serve: (work: Work) => Promise<ServedCall | null>;
  /**
   * Returns whether the feed may be called now. Never rejects. While the state of a feed's run is read, its steps get
   * no slot. So a slow database neither occupies slots nor looks like a slow endpoint.
   */
  admissionOf: FeedDirectory['admissionOf'];
  /** Called when a breaker has something to report to the store. */
  onReport: () => void;
  release: (works: readonly Work[], pause: ReleasePause | null) => void;
  monotonicMs: () => number;
}

/**
 * Cause and duration of a release, for a shard whose endpoint is down: released steps are due again after `delayMs`.
 */
export interface ReleasePause {
  cause: string;
  delayMs: number;
}

/**
 * Queue of claimed steps that wait for a call slot of their shard. Slots are shared fairly by the number of calls in
 * flight (max-min fairness): first between shards, and then between the feeds of a shard. A feed with slow calls
 * therefore has no more slots than others, and every feed gets some.
 */
export interface CallSlots {
  /**
   * Returns how many more steps of the shard may be claimed now (`roomOf`: of one of its feeds).
   * @param flushesMore number of additional flush intervals for which steps are claimed in advance; default: 0
   */
  room(topic: string, flushesMore?: number): number;
  roomOf(topic: string, feedId: string, flushesMore?: number): number;
  /**
   * Returns true if the feed has no limit on claims of its own. Instead, all such feeds of the shard share one limit.
   */
  sharesRoom(topic: string, feedId: string): boolean;
  add(works: readonly Work[]): void;
  /**
   * Returns the maximum time in milliseconds from one flush to the next. It is the duration of the quickest calls, or
   * twice that if few calls are in flight. Slow endpoints produce few results in this time, and claims in advance keep
   * their slots busy.
   * @param queued topics with steps that wait to be claimed. If there are free slots for them, the time is shorter.
   */
  betweenFlushesMs(queued: Iterable<string>): number;
  /**
   * Reports a flush.
   * @param took duration of the flush, as a share of the time between two flushes, in [0, 1]
   */
  onFlush(took: number): void;
  /**
   * Returns the milliseconds until the first call may begin in a shard that is blocked now, because its endpoint is
   * down or has requested a pause. Infinite if no shard becomes unblocked just because time passes.
   */
  nextCallInMs(topics: Iterable<string>): number;
  waitingFeeds(): string[];
  /** Releases the waiting steps of these feeds at once, because their runs are stopped. */
  releaseFeeds(feedIds: readonly string[]): void;
  /** Releases the waiting steps until the next probe, because the endpoint is down. Resets the adaptive limit. */
  onOpened(topic: string): void;
  resume(): void;
  /** Begins no further calls. Releases the waiting steps, and all steps added later. */
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
      if (!next) return;
      const admission = deps.admissionOf(next.line.feedId);
      if (admission instanceof Promise) void awaitAdmission(next, admission);
      else begin(next, nowMs);
    }
  }

  /**
   * Leaves out the line until its admission is known. Then releases the line's steps if the run is paused or cannot be
   * read.
   */
  async function awaitAdmission({ group, line }: NextLine, admission: Promise<Admission>): Promise<void> {
    line.isAwaitingAdmission = true;
    const { verdict } = await admission;
    line.isAwaitingAdmission = false;
    if (verdict === 'hold') releaseLine(group, line, null);
    start();
  }

  function begin(next: NextLine, nowMs: number): void {
    const [work] = next.line.waiting.take(1);
    if (!work) return;
    waiting--;
    void call(next, work, nowMs);
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
    if (served) learn({ group, line, nowMs, isFirstHand }, served);
    else if (!isFirstHand) group.breaker.onNoCall();
    if (group.breaker.report !== before) deps.onReport();
    if (isFirstHand) group.firstHand--;
    const tookMs = served === null ? null : nowMs - served.startedMs;
    endCall(group, line, tookMs, nowMs);
    lent.onChange(group, line);
    start();
    releaseBlocked(group, nowMs);
    if (total.inFlight === 0) whenIdle.resolve(null);
  }

  function learn(ended: CallInLine, served: ServedCall): void {
    if (served.end !== 'answered') ended.line.cause = served.cause;
    if (learnFromCall(ended, served)) releaseWaiting(ended.group, ended.nowMs);
  }

  function pauseOf({ breaker }: SlotGroup, nowMs: number): ReleasePause {
    return { cause: breaker.cause(nowMs) ?? '', delayMs: breaker.retryInMs(nowMs) };
  }

  /**
   * Releases the waiting steps, because the endpoint is down. Feeds that were answered lately keep their steps, to find
   * out if the endpoint is down for them too.
   */
  function releaseWaiting(group: SlotGroup, nowMs: number): void {
    group.adaptive.reset();
    for (const line of group.lines.values()) {
      line.guard.onOpened();
      if (line.guard.isFailing || !isServed(line, nowMs)) releaseLine(group, line, pauseOf(group, nowMs));
    }
  }

  /**
   * Releases the claims of feeds that may not call, because their leases would expire while they wait. Claims for a
   * probe that is due are kept.
   */
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

  /** @param kept number of the oldest steps that are not released */
  function releaseLine(group: SlotGroup, line: FeedLine, pause: ReleasePause | null, kept = 0): void {
    if (line.waiting.size <= kept) return;
    const works = line.waiting.take(line.waiting.size);
    line.waiting.requeue(works.splice(0, kept));
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
      // A flush that was in progress when the slots were closed may still add claims.
      if (closed) {
        release(works, null);
        return;
      }
      const nowMs = monotonicMs();
      for (const work of works) {
        const group = deps.groups.of(work.topic);
        lineOf(group, work.claim.feedId, nowMs, work.context.runId).waiting.push(work);
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
    onOpened: (topic) => releaseWaiting(deps.groups.of(topic), monotonicMs()),
    nextCallInMs: (topics) => {
      const nowMs = monotonicMs();
      const queued = new Set(topics);
      let soonest = Number.POSITIVE_INFINITY;
      for (const group of groups.values()) {
        const isQueued = queued.has(group.topic);
        if (group.waiting > 0 || isQueued) soonest = Math.min(soonest, blockedForMs(group, isQueued, nowMs));
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
