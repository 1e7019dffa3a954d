import type { EngineConfig } from '../../../shared/contracts/endpoints/engine-config.ts';
import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import type { Pressure } from '../call/read-answer.ts';
import type { CallEnd } from './breaker.ts';
import { heldBackForMs, nextLine } from './next-line.ts';
import type { RatedAction } from './keep-rates.ts';
import type { RateLimit } from './rate-limit.ts';
import type { RetryBudget } from './retry-budget.ts';
import type { SharedBreaker } from './shared-breaker.ts';
import {
  beginCall,
  endCall,
  lineOf,
  othersAreServed,
  roomOfFeed,
  roomOfGroup,
  slotsOf,
  type FeedLine,
  type SlotGroup,
} from './slot-group.ts';
import { createSlotGroups } from './slot-groups.ts';
import { createWorkerPool, isSlow } from './slot-pool.ts';
import type { Work } from '../work.ts';
import type { ShardLevels } from '../report/worker-meter.ts';

/** Claims that wait for a slot, over all shards; each shard may have a few beyond it. */
const maxWaiting = 1500;
const waitingFloor = 10;

export interface CallSlotsDeps {
  /** By topic. It may change, and `reshape` is told then. */
  shards: ReadonlyMap<string, Shard>;
  /** These likewise. */
  actionTypes: EngineConfig['actionTypes'];
  /** Calls in flight over all action types. */
  concurrency: number;
  leaseMs: number;
  /** Makes the call, or finds that it must not be made, and hands on what became of it. Never rejects. Resolves when the slot is free again. */
  serve: (work: Work) => Promise<ServedCall | null>;
  /** A breaker has something to tell the store. */
  onReport: () => void;
  /** Takes back what was claimed and will not be called now. */
  release: (works: readonly Work[], pause: ReleasePause | null) => void;
  monotonicMs: () => number;
  /** In [0, 1). */
  random: () => number;
}

/** How a call ended; null in its stead when none was made. */
export interface ServedCall {
  end: CallEnd;
  /** For people, where it was not answered. */
  cause: string;
  /** Null where the endpoint took it well. */
  pressure: Pressure | null;
  /** What the endpoint asked for; null where it did not. */
  retryAfterMs: number | null;
}

/** The shard's endpoint is down: what is given back is to come again then. */
export interface ReleasePause {
  cause: string;
  delayMs: number;
}

/** A shard with its breaker. */
export interface GuardedShard {
  readonly shard: Shard;
  readonly topic: string;
  readonly breaker: SharedBreaker;
  readonly hasCalls: boolean;
  /** Claimed steps wait for a call. */
  readonly hasWaiting: boolean;
  /** The store said that its endpoint is down. */
  onOpened(): void;
}

/**
 * Claimed steps wait here for a call slot of their shard. Slots are shared evenly by what is in flight (max-min fair): over the shards, and
 * inside each over its feeds, so that whose calls take long holds no more of them than others, and nobody is without.
 */
export interface CallSlots {
  /** How many more steps of the shard may be claimed now, and how many of one of its feeds. */
  room(topic: string): number;
  roomOf(topic: string, feedId: string): number;
  add(works: readonly Work[]): void;
  /** Until a shard that lets no call through now, because its endpoint is down or asked for a pause, does so; infinite when none will by itself. */
  nextCallInMs(topics: Iterable<string>): number;
  /** What the store has to know of the shards' breakers, and they of the store. */
  guarded(): Iterable<GuardedShard>;
  /** The action types with a rate that all workers share. @param queued topics with steps that wait to be claimed */
  rated(queued: Iterable<string>): Iterable<RatedAction>;
  /** Of a shard: what bounds its retries. */
  retryBudgetOf(topic: string): RetryBudget;
  /** Whether the shard's rate has room for one more call, beyond the one that was begun; it is then taken. */
  takeRate(topic: string, users: number): boolean;
  /** Feeds of which somebody waits for a slot. */
  waitingFeeds(): string[];
  /** Releases what waits of these feeds: their runs were stopped, however long it would be until a slot is free. */
  releaseFeeds(feedIds: readonly string[]): void;
  /** Begins calls that time has made room for. */
  resume(): void;
  levels(): Omit<ShardLevels, 'recorded'>[];
  /** There are other shards, or types whose concurrency, rate or budget differs. A shard that is gone ends what it has. */
  reshape(): void;
  /** No more calls begin: what waits for one, and what is still added, is released. */
  close(): void;
  /** Resolves when no call is in flight. */
  idle(): Promise<void>;
}

export function createCallSlots(deps: CallSlotsDeps): CallSlots {
  const { leaseMs, serve, release, monotonicMs } = deps;
  const total = createWorkerPool(deps.concurrency);
  const slotGroups = createSlotGroups(deps);
  const { groups } = slotGroups;
  let waiting = 0;
  let turns = 0;
  let closed = false;
  let whenIdle = Promise.withResolvers<null>();

  function groupOf(topic: string): SlotGroup {
    const group = groups.get(topic);
    if (!group) throw new Error(`no call slots for ${topic}`);
    return group;
  }

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
    if (served) learn(group, line, served, startedMs, nowMs);
    else group.breaker.onNoCall();
    endCall(group, line, served && nowMs - startedMs, nowMs);
    start();
    if (total.inFlight === 0) whenIdle.resolve(null);
  }

  function learn(group: SlotGroup, line: FeedLine, served: ServedCall, startedMs: number, nowMs: number): void {
    const { end, cause, pressure, retryAfterMs } = served;
    const { feedId } = line;
    line.isServed = end === 'answered';
    const othersServed = end !== 'answered' && othersAreServed(group, feedId);
    // What one campaign is told alone is none of the others' business: its steps wait by themselves.
    const pauseMs = othersServed ? null : retryAfterMs;
    group.adaptive.onEnd({ startedMs, nowMs, inFlight: group.inFlight, pressure, pauseMs });
    const call = { feedId, cause, othersAreServed: othersServed, retryAfterMs, nowMs };
    const { breaker } = group;
    const before = breaker.report;
    if (breaker.onEnd(end, call)) onOpened(group, nowMs);
    if (breaker.report !== before) deps.onReport();
  }

  /** The endpoint is down: what waits here is given back until somebody may probe, and it begins anew when it is back. */
  function onOpened(group: SlotGroup, nowMs: number): void {
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

  return {
    room: (topic) => {
      const group = groups.get(topic);
      if (!group || closed) return 0;
      const left = Math.max(maxWaiting - waiting, waitingFloor - group.waiting);
      return Math.max(0, Math.min(roomOfGroup(group, leaseMs, monotonicMs()), left));
    },
    roomOf: (topic, feedId) => {
      const group = groups.get(topic);
      return group ? roomOfFeed(group, feedId, leaseMs) : 0;
    },
    add: (works) => {
      // A flush that was under way when the slots closed may still bring claims.
      if (closed) {
        release(works, null);
        return;
      }
      const nowMs = monotonicMs();
      for (const work of works) {
        const group = groupOf(work.topic);
        lineOf(group, work.claim.feedId, nowMs).waiting.push(work);
        group.waiting++;
        waiting++;
      }
      start();
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
    nextCallInMs: (topics) => {
      const nowMs = monotonicMs();
      const queued = new Set(topics);
      let soonest = Number.POSITIVE_INFINITY;
      for (const group of groups.values()) {
        if (group.waiting > 0 || queued.has(group.topic)) soonest = Math.min(soonest, heldBackForMs(group, nowMs));
      }
      return soonest;
    },
    rated: (topics) => {
      const queued = new Set(topics);
      const rated = new Map<RateLimit, RatedAction>();
      for (const { shard, topic, rate, inFlight, waiting: own } of groups.values()) {
        if (!rate) continue;
        const hasWork = (rated.get(rate)?.hasWork ?? false) || inFlight + own > 0 || queued.has(topic);
        rated.set(rate, { actionType: shard.actionType, rate, hasWork });
      }
      return rated.values();
    },
    retryBudgetOf: (topic) => groupOf(topic).retryBudget,
    takeRate: (topic, users) => {
      const { rate } = groupOf(topic);
      const nowMs = monotonicMs();
      if (rate && rate.waitMs(users, nowMs) > 0) return false;
      rate?.take(users, nowMs);
      return true;
    },
    guarded: () =>
      [...groups.values()].map((group) => ({
        shard: group.shard,
        topic: group.topic,
        breaker: group.breaker,
        hasCalls: group.inFlight > 0,
        hasWaiting: group.waiting > 0,
        onOpened: () => onOpened(group, monotonicMs()),
      })),
    resume: start,
    levels: () => {
      const nowMs = monotonicMs();
      const served = [...groups.values()].filter(({ topic }) => deps.shards.has(topic));
      return served.map((group) => ({
        shard: group.shard,
        inFlight: group.inFlight,
        limit: slotsOf(group, nowMs),
        waiting: group.waiting,
        isBreakerOpen: group.breaker.isOpen(nowMs),
      }));
    },
    reshape: () => {
      slotGroups.reshape();
      start();
    },
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
