import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import { createAdaptiveLimit, type AdaptiveLimit } from '../../../shared/domain/endpoint/adaptive-limit.ts';
import { createBreaker, type Breaker } from './breaker.ts';
import { countCall, measurePace, unmeasured, type CallPace } from './call-pace.ts';
import { createSourceGuard, type SourceGuard } from '../../../shared/domain/endpoint/source-guard.ts';
import { witnessLastsMs, type SourceEvidence } from '../../../shared/domain/endpoint/own-matter.ts';
import type { RateLimit } from './rate-limit.ts';
import type { CallLine, SlotPool } from './slot-pool.ts';
import { createStepFifo, type StepFifo } from '../step/step-fifo.ts';
import type { Work } from '../step/work.ts';

/**
 * Initial limit on concurrent calls, and thus on connections, of a shard without recent calls. The limit grows with
 * answers and with time.
 */
const firstCalls = 8;
const moreCallsPerSecond = 10;
const silentMs = 30_000;
/** Milliseconds after the last call of a feed during which its learned state is kept. */
const forgottenAfterMs = 60_000;
/**
 * A feed without history may have one first call per this number of slots in the pool, at least 1 and at most
 * `maxFirstCallsOfFeed`.
 */
const slotsPerFirstCall = 16;
const maxFirstCallsOfFeed = 4;

export interface FeedLine extends CallLine, CallPace {
  readonly feedId: string;
  readonly runId: string;
  /** Lines of the same run in this shard, with this line: one for each variant. They take one turn together. */
  readonly ofRun: Set<FeedLine>;
  readonly waiting: StepFifo<Work>;
  readonly guard: SourceGuard;
  /** True while the worker reads if the feed may be called. Until then, its steps get no slot. */
  isAwaitingAdmission: boolean;
  cause: string;
  /** True if other feeds may use the slots of this line. `lent` is the number of its slots that count as lent. */
  isLending: boolean;
  lent: number;
  /** Number of calls in flight that counted as slow when they began. `lentSlow` is the number of them in lent slots. */
  slow: number;
  lentSlow: number;
  lastBeginMs: number;
  lastEndMs: number;
  /**
   * Sequence number of the last call, over all groups. Of lines with equally many calls in flight, the one with the
   * lowest number comes first.
   */
  lastTurn: number;
}

export interface SlotGroup extends CallPace {
  readonly shard: Shard;
  readonly topic: string;
  readonly pool: SlotPool;
  readonly lines: Map<string, FeedLine>;
  readonly random: () => number;
  minConcurrency: number;
  readonly breaker: Breaker;
  readonly adaptive: AdaptiveLimit;
  /** Rate of the action type, over all its countries; null if the type has no rate. */
  rate: RateLimit | null;
  inFlight: number;
  waiting: number;
  /** Number of calls in flight of lines that lend their slots. */
  lent: number;
  /**
   * Number of first-hand calls in flight, and the time at which the last one began. First-hand calls show if the
   * endpoint works for their feeds.
   */
  firstHand: number;
  firstHandAtMs: number;
  /**
   * Number of answers since the shard last had no calls for a while. `sinceMs` is the time at which its calls began
   * again.
   */
  answered: number;
  sinceMs: number;
  lastEndMs: number;
  lastTurn: number;
}

export interface SlotGroupTerms {
  topic: string;
  shard: Shard;
  pool: SlotPool;
  /** Minimum number of concurrent calls that the adaptive limit allows, however badly the endpoint answers. */
  minConcurrency: number;
  rate: RateLimit | null;
  /** Random number in [0, 1). */
  random: () => number;
}

export function createSlotGroup(terms: SlotGroupTerms): SlotGroup {
  const { topic, shard, pool, minConcurrency, rate, random } = terms;
  const lines = new Map<string, FeedLine>();
  const onSlowStart = () => {
    for (const { guard } of lines.values()) guard.onSlowStart();
  };
  return {
    shard,
    topic,
    pool,
    lines,
    random,
    minConcurrency,
    breaker: createBreaker(random, onSlowStart),
    adaptive: createAdaptiveLimit(minConcurrency, pool.capacity),
    rate,
    inFlight: 0,
    waiting: 0,
    lent: 0,
    firstHand: 0,
    firstHandAtMs: Number.NEGATIVE_INFINITY,
    ...unmeasured,
    answered: 0,
    sinceMs: 0,
    lastEndMs: Number.NEGATIVE_INFINITY,
    lastTurn: 0,
  };
}

/** @param runId a feed without a known run counts as a run of its own */
export function lineOf(group: SlotGroup, feedId: string, nowMs: number, runId = feedId): FeedLine {
  const known = group.lines.get(feedId);
  if (known) return known;
  forgetIdle(group, nowMs);
  const { pool, minConcurrency, random } = group;
  const line: FeedLine = {
    feedId,
    runId,
    ofRun: linesOfRun(group, runId) ?? new Set(),
    waiting: createStepFifo<Work>(),
    inFlight: 0,
    ...unmeasured,
    guard: createSourceGuard({
      id: feedId,
      minConcurrency,
      maxConcurrency: pool.capacity,
      firstCalls: firstCallsOfFeed(pool),
      random,
    }),
    isAwaitingAdmission: false,
    cause: '',
    isLending: false,
    lent: 0,
    slow: 0,
    lentSlow: 0,
    lastBeginMs: nowMs,
    lastEndMs: nowMs,
    lastTurn: 0,
  };
  group.lines.set(feedId, line);
  line.ofRun.add(line);
  return line;
}

function linesOfRun({ lines }: SlotGroup, runId: string): Set<FeedLine> | undefined {
  for (const line of lines.values()) if (line.runId === runId) return line.ofRun;
  return undefined;
}

/** Returns how many calls a feed without history may have in flight. */
export function firstCallsOfFeed({ capacity }: SlotPool): number {
  return Math.min(maxFirstCallsOfFeed, Math.max(1, Math.floor(capacity / slotsPerFirstCall)));
}

export function slotsOf(group: SlotGroup, nowMs: number): number {
  const { pool, breaker, adaptive, answered, inFlight, lastEndMs, sinceMs } = group;
  const isSilent = inFlight === 0 && nowMs - lastEndMs > silentMs;
  const ramp = isSilent ? 0 : answered + (moreCallsPerSecond * (nowMs - sinceMs)) / 1000;
  // Every call needs a connection, so calls in lent slots count as well.
  const connected = Math.max(0, firstCalls + Math.floor(ramp) - pool.lendable(group.lent));
  return Math.min(pool.capacity, breaker.allowed(nowMs), adaptive.allowed(nowMs), connected);
}

export function* evidenceOf({ lines }: SlotGroup): Iterable<SourceEvidence> {
  for (const { guard } of lines.values()) yield guard;
}

/** Returns the number of calls of the shard in flight, without calls in lent slots. */
export function countedCalls({ inFlight, lent, pool }: SlotGroup): number {
  return inFlight - pool.lendable(lent);
}

/**
 * Returns true if the line may use slots that other lines lend. It may if its calls are answered, or if it has no call
 * in flight.
 */
export function usesLent({ isLending, inFlight, guard }: FeedLine, nowMs: number): boolean {
  return !isLending && (inFlight === 0 || nowMs - guard.answeredAtMs <= guard.times.usualMs);
}

/**
 * Returns the number of claimed steps of the shard that wait for a slot, without the steps of lines that lend their
 * slots.
 */
export function countedWaiting(group: SlotGroup): number {
  let waiting = 0;
  for (const line of group.lines.values()) if (!line.isLending) waiting += line.waiting.size;
  return waiting;
}

/**
 * Returns true if the line has calls in flight, and none of its calls has begun or ended for much longer than they
 * usually take.
 */
export function isStuck({ inFlight, lastBeginMs, lastEndMs, guard }: FeedLine, nowMs: number): boolean {
  return inFlight > 0 && nowMs - Math.max(lastBeginMs, lastEndMs) >= guard.stuckAfterMs;
}

/**
 * Returns true if a call of the line was answered within the last ten seconds, or within the ten seconds before its
 * latest call began. Returns false if its calls are stuck, or if the last one was not answered.
 */
export function isServed({ inFlight, lastBeginMs, isLending, guard }: FeedLine, nowMs: number): boolean {
  const isAwaited = inFlight > 0 && !isLending && !guard.isFailing;
  const sinceMs = isAwaited ? lastBeginMs : nowMs;
  return sinceMs - guard.answeredAtMs < witnessLastsMs;
}

/** Returns how many calls in flight the line's own guard allows. A line that is stuck begins no more calls. */
export function allowedOf(line: FeedLine, nowMs: number): number {
  return line.isLending && !line.guard.isTroubled && line.inFlight > 0 ? 0 : line.guard.allowed(nowMs);
}

/** Updates the paces of the group and its lines after a flush. */
export function measureFlush(group: SlotGroup): void {
  measurePace(group);
  for (const line of group.lines.values()) measurePace(line);
}

export function beginCall(group: SlotGroup, line: FeedLine, turn: number, nowMs: number): void {
  line.lastBeginMs = nowMs;
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

/**
 * Counts the end of a call of the line.
 * @param tookMs duration of the call; null if no call was made
 */
export function endCall(group: SlotGroup, line: FeedLine, tookMs: number | null, nowMs: number): void {
  group.inFlight--;
  line.inFlight--;
  group.lastEndMs = nowMs;
  line.lastEndMs = nowMs;
  group.ended++;
  line.ended++;
  if (tookMs !== null) {
    group.answered++;
    countCall(group, tookMs);
    countCall(line, tookMs);
  }
}

function forgetIdle(group: SlotGroup, nowMs: number): void {
  for (const line of group.lines.values()) {
    const isIdle = line.inFlight === 0 && line.waiting.size === 0;
    if (!isIdle || nowMs - line.lastEndMs <= forgottenAfterMs) continue;
    group.lines.delete(line.feedId);
    line.ofRun.delete(line);
  }
}
