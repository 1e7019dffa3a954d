import type { EngineConfig } from '../../shared/contracts/engine-config.ts';
import type { Shard } from '../../shared/domain/shard.ts';
import type { CallEnd } from './breaker.ts';
import {
  beginCall,
  createSlotGroup,
  endCall,
  lineOf,
  othersAreServed,
  roomOfFeed,
  roomOfGroup,
  slotsOf,
  type FeedLine,
  type SlotGroup,
} from './slot-group.ts';
import { createSlotPool, isSlow, type SlotPool } from './slot-pool.ts';
import type { Work } from './work.ts';
import type { ShardLevels } from './worker-meter.ts';

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
}

/** The shard's endpoint is down: what is given back is to come again then. */
export interface ReleasePause {
  cause: string;
  delayMs: number;
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
  /** Feeds of which somebody waits for a slot. */
  waitingFeeds(): string[];
  /** Releases what waits of these feeds: their runs were stopped, however long it would be until a slot is free. */
  releaseFeeds(feedIds: readonly string[]): void;
  /** Until the breaker of one of these shards lets a call through; infinite when none is open. */
  nextProbeInMs(topics: Iterable<string>): number;
  /** Begins calls that time has made room for. */
  resume(): void;
  levels(): Omit<ShardLevels, 'recorded'>[];
  /** There are other shards, or types whose concurrency differs. A shard that is gone ends what it has. */
  reshape(): void;
  /** No more calls begin: what waits for one, and what is still added, is released. */
  close(): void;
  /** Resolves when no call is in flight. */
  idle(): Promise<void>;
}

export function createCallSlots(deps: CallSlotsDeps): CallSlots {
  const { leaseMs, serve, release, monotonicMs } = deps;
  const total = createSlotPool(deps.concurrency);
  const pools = new Map<string, SlotPool>();
  const groups = new Map<string, SlotGroup>();
  reshape();
  let waiting = 0;
  let turns = 0;
  let closed = false;
  let whenIdle = Promise.withResolvers<null>();

  /** Groups stay, with what they have learned, also those of shards that are not served any more: calls may be under way. */
  function reshape(): void {
    for (const [topic, shard] of deps.shards) {
      const type = deps.actionTypes[shard.actionType];
      if (!type) throw new Error(`action type ${shard.actionType} is not configured`);
      const capacity = Math.min(type.concurrency, deps.concurrency);
      const pool = pools.get(shard.actionType) ?? createSlotPool(capacity);
      pool.resize(capacity);
      pools.set(shard.actionType, pool);
      if (!groups.has(topic)) groups.set(topic, createSlotGroup(topic, shard, pool, deps.random));
    }
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
    group.pool.begin(wasSlow, startedMs);
    total.begin(wasSlow, startedMs);
    const served = await serve(work);
    const nowMs = monotonicMs();
    group.pool.end(wasSlow);
    total.end(wasSlow);
    if (served) learn(group, line, served, nowMs);
    endCall(group, line, served && nowMs - startedMs, nowMs);
    start();
    if (total.inFlight === 0) whenIdle.resolve(null);
  }

  function learn(group: SlotGroup, line: FeedLine, { end, cause }: ServedCall, nowMs: number): void {
    line.isServed = end === 'answered';
    const othersServed = end !== 'answered' && othersAreServed(group, line.feedId);
    const opened = group.breaker.onEnd(end, { feedId: line.feedId, cause, othersAreServed: othersServed, nowMs });
    if (opened) releaseGroup(group, { cause, delayMs: group.breaker.retryInMs(nowMs) });
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
        const group = groups.get(work.topic);
        if (!group) throw new Error(`no call slots for ${work.topic}`);
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
    nextProbeInMs: (topics) => {
      const nowMs = monotonicMs();
      let soonest = Number.POSITIVE_INFINITY;
      for (const topic of topics) {
        const breaker = groups.get(topic)?.breaker;
        if (breaker?.isOpen) soonest = Math.min(soonest, breaker.retryInMs(nowMs));
      }
      return soonest;
    },
    resume: start,
    levels: () => {
      const nowMs = monotonicMs();
      const served = [...groups.values()].filter(({ topic }) => deps.shards.has(topic));
      return served.map((group) => ({
        shard: group.shard,
        inFlight: group.inFlight,
        limit: slotsOf(group, nowMs),
        waiting: group.waiting,
        isBreakerOpen: group.breaker.isOpen,
      }));
    },
    reshape: () => {
      reshape();
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

interface NextLine {
  group: SlotGroup;
  line: FeedLine;
}

/** Of the shards that may call, the one with the fewest calls in flight, and of its feeds likewise; among equals, who waited longest. */
function nextLine(groups: Iterable<SlotGroup>, total: SlotPool, nowMs: number): NextLine | undefined {
  let best: NextLine | undefined;
  for (const group of groups) {
    if (group.waiting === 0 || (best && !comesBefore(group, best.group))) continue;
    if (group.inFlight >= slotsOf(group, nowMs)) continue;
    const line = nextOf(group, total, nowMs);
    if (line) best = { group, line };
  }
  return best;
}

function nextOf(group: SlotGroup, total: SlotPool, nowMs: number): FeedLine | undefined {
  let best: FeedLine | undefined;
  for (const line of group.lines.values()) {
    if (line.waiting.size === 0 || line.inFlight >= line.limit || (best && !comesBefore(line, best))) continue;
    if (group.pool.hasRoom(line, nowMs) && total.hasRoom(line, nowMs)) best = line;
  }
  return best;
}

interface Turn {
  inFlight: number;
  lastTurn: number;
}

function comesBefore(a: Turn, b: Turn): boolean {
  return a.inFlight < b.inFlight || (a.inFlight === b.inFlight && a.lastTurn < b.lastTurn);
}
