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

/** Calls at once, and with them connections, of a shard that was silent: more with each answer, and with time. */
const firstCalls = 8;
const moreCallsPerSecond = 10;
const silentMs = 30_000;
/** What was learned of a feed's calls is kept for so long after the last. */
const forgottenAfterMs = 60_000;
/** Of a feed that nothing is known of, one for so many of its pool's slots; at least 1, at most 4. */
const slotsPerFirstCall = 16;
const maxFirstCallsOfFeed = 4;

/** The calls of a feed in this shard: those that wait for a slot and those in flight. */
export interface FeedLine extends CallLine, CallPace {
  readonly feedId: string;
  readonly waiting: StepFifo<Work>;
  readonly guard: SourceGuard;
  /** Cause of its last failure, for people. */
  cause: string;
  /** True if others may use the slots that it holds, and how many these are counted to be. */
  isLending: boolean;
  lent: number;
  /** Calls in flight that began as slow ones, and how many of them are lent. */
  slow: number;
  lentSlow: number;
  lastBeginMs: number;
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
  readonly random: () => number;
  minConcurrency: number;
  readonly breaker: Breaker;
  readonly adaptive: AdaptiveLimit;
  /** The action type's, over all its countries; null where nothing limits it. */
  rate: RateLimit | null;
  inFlight: number;
  waiting: number;
  /** Calls in flight of lines that lend their slots. */
  lent: number;
  /** Calls in flight that are to show whether the endpoint works for their feeds, and when the last one began. */
  firstHand: number;
  firstHandAtMs: number;
  /** Answers since the shard was silent, and when it began. */
  answered: number;
  sinceMs: number;
  lastEndMs: number;
  lastTurn: number;
}

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

export function lineOf(group: SlotGroup, feedId: string, nowMs: number): FeedLine {
  const known = group.lines.get(feedId);
  if (known) return known;
  forgetIdle(group, nowMs);
  const { pool, minConcurrency, random } = group;
  const line: FeedLine = {
    feedId,
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
  return line;
}

/** Returns how many calls a feed that nothing is known of may have in flight. */
export function firstCallsOfFeed({ capacity }: SlotPool): number {
  return Math.min(maxFirstCallsOfFeed, Math.max(1, Math.floor(capacity / slotsPerFirstCall)));
}

/** How many calls of the shard may be in flight. */
export function slotsOf(group: SlotGroup, nowMs: number): number {
  const { pool, breaker, adaptive, answered, inFlight, lastEndMs, sinceMs } = group;
  const isSilent = inFlight === 0 && nowMs - lastEndMs > silentMs;
  const ramp = isSilent ? 0 : answered + (moreCallsPerSecond * (nowMs - sinceMs)) / 1000;
  // Connections are made for all calls, those of lent slots among them.
  const connected = Math.max(0, firstCalls + Math.floor(ramp) - pool.lendable(group.lent));
  return Math.min(pool.capacity, breaker.allowed(nowMs), adaptive.allowed(nowMs), connected);
}

/** Returns the evidence of the shard's feeds: how their last calls ended. */
export function* evidenceOf({ lines }: SlotGroup): Iterable<SourceEvidence> {
  for (const { guard } of lines.values()) yield guard;
}

/** Calls of the shard in flight, without those of lines that lend their slots. */
export function countedCalls({ inFlight, lent, pool }: SlotGroup): number {
  return inFlight - pool.lendable(lent);
}

/** True if the line may use slots that others lend: its calls are answered, or the next one is its only one. */
export function usesLent({ isLending, inFlight, guard }: FeedLine, nowMs: number): boolean {
  return !isLending && (inFlight === 0 || nowMs - guard.answeredAtMs <= guard.times.usualMs);
}

/** Claimed steps of the shard that wait for a slot, without those of lines that lend theirs. */
export function countedWaiting(group: SlotGroup): number {
  let waiting = 0;
  for (const line of group.lines.values()) if (!line.isLending) waiting += line.waiting.size;
  return waiting;
}

/** True if calls of the line are in flight, and none has begun or ended for much longer than calls take. */
export function isStuck({ inFlight, lastBeginMs, lastEndMs, guard }: FeedLine, nowMs: number): boolean {
  return inFlight > 0 && nowMs - Math.max(lastBeginMs, lastEndMs) >= guard.stuckAfterMs;
}

/**
 * True if the line was answered within the last ten seconds. A line whose calls take longer counts as served as well,
 * unless they are stuck or the last one was not answered: it was answered within ten seconds before its latest call
 * began.
 */
export function isServed({ inFlight, lastBeginMs, isLending, guard }: FeedLine, nowMs: number): boolean {
  const isAwaited = inFlight > 0 && !isLending && !guard.isFailing;
  const sinceMs = isAwaited ? lastBeginMs : nowMs;
  return sinceMs - guard.answeredAtMs < witnessLastsMs;
}

/** Calls of the line that may be in flight, as far as its own guard decides. A line that is stuck begins no more. */
export function allowedOf(line: FeedLine, nowMs: number): number {
  return line.isLending && !line.guard.isTroubled && line.inFlight > 0 ? 0 : line.guard.allowed(nowMs);
}

/** A flush was written: what ended since the last one is what it made room for. */
export function measureFlush(group: SlotGroup): void {
  measurePace(group);
  for (const line of group.lines.values()) measurePace(line);
}

/** A call of the line begins. */
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
    countCall(group, tookMs);
    countCall(line, tookMs);
  }
}

function forgetIdle(group: SlotGroup, nowMs: number): void {
  for (const line of group.lines.values()) {
    const isIdle = line.inFlight === 0 && line.waiting.size === 0;
    if (isIdle && nowMs - line.lastEndMs > forgottenAfterMs) group.lines.delete(line.feedId);
  }
}
