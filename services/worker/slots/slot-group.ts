import { maxBatchUsers } from '../../../shared/domain/step/batch.ts';
import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import { createAdaptiveLimit, type AdaptiveLimit } from './adaptive-limit.ts';
import { createBreaker, type Breaker } from './breaker.ts';
import type { RateLimit } from './rate-limit.ts';
import type { CallLine, SlotPool } from './slot-pool.ts';
import { createStepFifo, type StepFifo } from '../intake/step-fifo.ts';
import type { Work } from '../work.ts';

/** Claimed ahead of the calls at the most. */
const maxClaimedAhead = 300;
/** Of the most calls that ended between two flushes, so much is remembered with each further one. */
const keptPerFlush = 0.95;
/** Claims ahead are leases running down: no more are made than will be called within this part of a lease. */
const partOfLease = 1 / 3;
/** Weight of the newest call in the mean. */
const newestWeight = 0.02;
/** Calls at once, and with them connections, of a shard that was silent: more with each answer, and with time. */
const firstCalls = 8;
const moreCallsPerSecond = 10;
const silentMs = 30_000;
/** What was learned of a feed's calls is kept for so long after the last. */
const forgottenAfterMs = 60_000;
/** Of a feed that nothing is known of, one for so many of its pool's slots; at least 1, at most 4. */
const slotsPerFirstCall = 16;
const maxFirstCallsOfFeed = 4;

/** How quickly slots come free. */
interface CallPace {
  meanMs: number;
  /** Calls that ended since the last flush. */
  ended: number;
  /** The most that lately ended between two flushes. */
  perFlush: number;
}

/** How far claims may be ahead of the calls. */
export interface AheadTerms {
  leaseMs: number;
  /** Of the work between two flushes: one, and the part of the next in which a flush is written. */
  flushes: number;
}

/** The calls of a feed in this shard: those that wait for a slot and those in flight. */
export interface FeedLine extends CallLine, CallPace {
  readonly feedId: string;
  readonly waiting: StepFifo<Work>;
  /** How many may be in flight: it grows with each answer. */
  limit: number;
  /** How the last call ended; null before. */
  isServed: boolean | null;
  lastEndMs: number;
  /** Counts the calls begun, over all: among equals, the line that began one longest ago comes first. */
  lastTurn: number;
}

/** The call slots of one shard, shared by its feeds. */
export interface SlotGroup extends CallPace {
  readonly shard: Shard;
  readonly topic: string;
  readonly pool: SlotPool;
  readonly lines: Map<string, FeedLine>;
  readonly breaker: Breaker;
  readonly adaptive: AdaptiveLimit;
  /** The action type's, over all its countries; null where nothing limits it. */
  rate: RateLimit | null;
  inFlight: number;
  waiting: number;
  /** Answers since the shard was silent, and when it began. */
  answered: number;
  sinceMs: number;
  lastEndMs: number;
  lastTurn: number;
}

const unmeasured: CallPace = { meanMs: 0, ended: 0, perFlush: 0 };

export interface SlotGroupTerms {
  topic: string;
  shard: Shard;
  pool: SlotPool;
  /** Calls at once, however badly the endpoint takes them. */
  minConcurrency: number;
  rate: RateLimit | null;
  /** In [0, 1). */
  random: () => number;
}

export function createSlotGroup(terms: SlotGroupTerms): SlotGroup {
  const { topic, shard, pool, minConcurrency, rate, random } = terms;
  return {
    shard,
    topic,
    pool,
    lines: new Map(),
    breaker: createBreaker(random),
    adaptive: createAdaptiveLimit(minConcurrency, pool.capacity),
    rate,
    inFlight: 0,
    waiting: 0,
    ...unmeasured,
    answered: 0,
    sinceMs: 0,
    lastEndMs: Number.NEGATIVE_INFINITY,
    lastTurn: 0,
  };
}

export function lineOf(group: SlotGroup, feedId: string, nowMs: number): FeedLine {
  const known = group.lines.get(feedId);
  if (known) return known;
  forgetIdle(group, nowMs);
  const line: FeedLine = {
    feedId,
    waiting: createStepFifo<Work>(),
    inFlight: 0,
    ...unmeasured,
    limit: firstCallsOfFeed(group.pool),
    isServed: null,
    lastEndMs: nowMs,
    lastTurn: 0,
  };
  group.lines.set(feedId, line);
  return line;
}

function firstCallsOfFeed({ capacity }: SlotPool): number {
  return Math.min(maxFirstCallsOfFeed, Math.max(1, Math.floor(capacity / slotsPerFirstCall)));
}

/** How many calls of the shard may be in flight. */
export function slotsOf(group: SlotGroup, nowMs: number): number {
  const { pool, breaker, adaptive, answered, inFlight, lastEndMs, sinceMs } = group;
  const isSilent = inFlight === 0 && nowMs - lastEndMs > silentMs;
  const ramp = isSilent ? 0 : answered + (moreCallsPerSecond * (nowMs - sinceMs)) / 1000;
  return Math.min(pool.capacity, breaker.allowed(nowMs), adaptive.allowed(nowMs), firstCalls + Math.floor(ramp));
}

/** How many more steps of the shard may be claimed now. */
export function roomOfGroup(group: SlotGroup, terms: AheadTerms, nowMs: number): number {
  const slots = slotsOf(group, nowMs);
  // While the endpoint is down, or starts again slowly: what is called at once, and nothing ahead of it.
  const ahead = group.breaker.allowed(nowMs) < group.pool.capacity ? 0 : aheadOf(slots, group, terms);
  // No more than its rate allows: what is claimed beyond that would only be given back.
  const wanted = slots + ahead;
  const claims = group.rate?.callsIn(wanted, terms.leaseMs * partOfLease, maxBatchUsers, nowMs) ?? wanted;
  return Math.max(0, claims - group.waiting - group.inFlight);
}

/** How many more steps of a feed may be claimed now. */
export function roomOfFeed(group: SlotGroup, feedId: string, terms: AheadTerms): number {
  const line = group.lines.get(feedId);
  if (!line) return 2 * firstCallsOfFeed(group.pool);
  const slots = Math.min(line.limit, group.pool.capacity);
  return Math.max(0, slots + aheadOf(slots, line, terms) - line.waiting.size - line.inFlight);
}

/**
 * What will be called before more can be claimed, so that a free slot seldom waits for the database, and no more: after
 * a crash, a claim is a call that may have begun. Before anything was measured, one more round.
 */
function aheadOf(slots: number, { meanMs, perFlush }: CallPace, { leaseMs, flushes }: AheadTerms): number {
  if (meanMs === 0) return Math.min(maxClaimedAhead, slots);
  const callable = (slots * leaseMs * partOfLease) / meanMs;
  return Math.floor(Math.min(maxClaimedAhead, callable, 1 + perFlush * flushes));
}

/** A flush was written: what ended since the last one is what it made room for. */
export function measureFlush(group: SlotGroup): void {
  measure(group);
  for (const line of group.lines.values()) measure(line);
}

function measure(pace: CallPace): void {
  pace.perFlush = Math.max(pace.ended, pace.perFlush * keptPerFlush);
  pace.ended = 0;
}

/** A call of the line begins. */
export function beginCall(group: SlotGroup, line: FeedLine, turn: number, nowMs: number): void {
  if (group.inFlight === 0 && nowMs - group.lastEndMs > silentMs) {
    group.answered = 0;
    group.sinceMs = nowMs;
  }
  group.inFlight++;
  group.waiting--;
  group.lastTurn = turn;
  line.inFlight++;
  line.lastTurn = turn;
}

/** A call of the line, or what was to be one, has ended. @param tookMs null when no call was made */
export function endCall(group: SlotGroup, line: FeedLine, tookMs: number | null, nowMs: number): void {
  group.inFlight--;
  line.inFlight--;
  group.lastEndMs = nowMs;
  line.lastEndMs = nowMs;
  group.ended++;
  line.ended++;
  if (tookMs !== null) {
    group.answered++;
    line.limit++;
    group.meanMs = meanWith(group.meanMs, tookMs);
    line.meanMs = meanWith(line.meanMs, tookMs);
  }
}

function forgetIdle(group: SlotGroup, nowMs: number): void {
  for (const line of group.lines.values()) {
    const isIdle = line.inFlight === 0 && line.waiting.size === 0;
    if (isIdle && nowMs - line.lastEndMs > forgottenAfterMs) group.lines.delete(line.feedId);
  }
}

/** Whether another feed of the shard, with calls under way, was answered last. */
export function othersAreServed(group: SlotGroup, feedId: string): boolean {
  for (const line of group.lines.values()) {
    if (line.isServed === true && line.inFlight > 0 && line.feedId !== feedId) return true;
  }
  return false;
}

/** Never 0, which says that nothing was measured. */
function meanWith(meanMs: number, tookMs: number): number {
  return Math.max(0.01, meanMs === 0 ? tookMs : meanMs + newestWeight * (tookMs - meanMs));
}
