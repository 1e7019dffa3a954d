import { failingBound, failingCalls } from './failing-feeds.ts';
import { mayCallFirstHand, probeCalls } from './open-breaker.ts';
import { allowedOf, countedCalls, isStuck, slotsOf, usesLent, type FeedLine, type SlotGroup } from './slot-group.ts';
import type { SlotPool } from './slot-pool.ts';

export interface NextLine {
  group: SlotGroup;
  line: FeedLine;
  /** True if the breaker is open and this call is not its probe, but a first-hand call (`mayCallFirstHand`). */
  isFirstHand: boolean;
}

/**
 * Returns the line (the waiting steps of a feed in a shard) that calls next. Of the shards that may call, the one with
 * the fewest calls in flight comes first, within it the run with the fewest, and within the run the feed with the
 * fewest. If numbers are equal, the line whose last call was longest ago comes first. Calls in lent slots do not count.
 */
export function nextLine(groups: Iterable<SlotGroup>, total: SlotPool, nowMs: number): NextLine | undefined {
  let best: NextLine | undefined;
  for (const group of groups) {
    if (group.waiting === 0 || (best && !comesBefore(turnOf(group), turnOf(best.group)))) continue;
    const slots = slotsOf(group, nowMs);
    const isOpen = group.breaker.isOpen(nowMs);
    // A probe that is stuck lends its slot, but no second probe may begin in this slot.
    const isFirstHand = (isOpen ? probeCalls(group) : countedCalls(group)) >= slots;
    if (isFirstHand && !isOpen) continue;
    const mayCall = isOpen ? isProbe : mayCallWithin(slots, failingHaveRoom(group, slots, nowMs));
    const line = nextOf(group, total, isFirstHand ? mayCallFirstHand : mayCall, nowMs);
    if (line) best = { group, line, isFirstHand };
  }
  return best;
}

type MayCall = (group: SlotGroup, line: FeedLine, nowMs: number) => boolean;

/** Any feed may make the probe; the feeds take turns. */
const isProbe: MayCall = () => true;

/** @param failingHaveRoom returns true if one more call of a failing feed may begin */
function mayCallWithin(slots: number, failingHaveRoom: () => boolean): MayCall {
  return (group, line, nowMs) => {
    if (line.inFlight >= allowedOf(line, nowMs)) return false;
    if (line.guard.isFailing && !failingHaveRoom()) return false;
    return group.inFlight < slots || usesLent(line, nowMs);
  };
}

/**
 * Returns a function that tells if there is room for one more call of a failing feed. It counts the calls of failing
 * feeds when it is first called, and then keeps the result.
 */
function failingHaveRoom(group: SlotGroup, slots: number, nowMs: number): () => boolean {
  let haveRoom: boolean | undefined;
  return () => (haveRoom ??= failingCalls(group) < failingBound(group, slots, nowMs));
}

function nextOf(group: SlotGroup, total: SlotPool, mayCall: MayCall, nowMs: number): FeedLine | undefined {
  const { pool } = group;
  const { hasLent } = total;
  let best: FeedLine | undefined;
  for (const line of group.lines.values()) {
    if (line.waiting.size === 0 || line.isAwaitingAdmission) continue;
    if ((best && !lineComesBefore(line, best)) || !mayCall(group, line, nowMs)) continue;
    const lent = hasLent && usesLent(line, nowMs);
    if (pool.hasRoom(line, lent, nowMs) && total.hasRoom(line, lent, nowMs)) best = line;
  }
  // If the rate does not allow the call yet, no other line comes first instead. Otherwise, a large batch would wait
  // forever behind small ones.
  const isRated = best && group.rate && group.rate.waitMs(best.waiting.first()?.count ?? 0, nowMs) > 0;
  return isRated ? undefined : best;
}

function turnOf(group: SlotGroup): Turn {
  return { inFlight: countedCalls(group), lastTurn: group.lastTurn };
}

/** Compares the runs first, so that a run with several variants gets as many slots as a run without variants. */
function lineComesBefore(a: FeedLine, b: FeedLine): boolean {
  return a.ofRun === b.ofRun ? comesBefore(a, b) : comesBefore(turnOfRun(a), turnOfRun(b));
}

/** Sums the calls of the lines of a run; calls of other lines that lend their slots do not count. */
function turnOfRun(line: FeedLine): Turn {
  if (line.ofRun.size === 1) return line;
  let { inFlight, lastTurn } = line;
  for (const other of line.ofRun) {
    if (other !== line && !other.isLending) inFlight += other.inFlight;
    lastTurn = Math.max(lastTurn, other.lastTurn);
  }
  return { inFlight, lastTurn };
}

interface Turn {
  inFlight: number;
  lastTurn: number;
}

function comesBefore(a: Turn, b: Turn): boolean {
  return a.inFlight < b.inFlight || (a.inFlight === b.inFlight && a.lastTurn < b.lastTurn);
}

/**
 * Returns the milliseconds until a call of the shard may begin just because time has passed. Infinite if that never
 * happens, or if nothing blocks the shard.
 * @param isQueued true if steps of the shard wait to be claimed
 */
export function blockedForMs(group: SlotGroup, isQueued: boolean, nowMs: number): number {
  const { breaker, adaptive, rate, lines } = group;
  if (breaker.isOpen(nowMs)) return breaker.callInMs(nowMs);
  if (adaptive.pausedForMs(nowMs) > 0) return adaptive.pausedForMs(nowMs);
  const othersWait = isQueued || lines.size > 1;
  let soonest = Number.POSITIVE_INFINITY;
  for (const line of lines.values()) {
    const users = line.waiting.first()?.count;
    const ratedMs = users === undefined ? 0 : (rate?.waitMs(users, nowMs) ?? 0);
    for (const ms of [line.guard.waitMs(nowMs), ratedMs, othersWait ? stuckInMs(line, nowMs) : 0]) {
      if (ms > 0) soonest = Math.min(soonest, ms);
    }
  }
  return soonest;
}

/**
 * Returns the milliseconds until other feeds may use the slots of a line whose calls do not end; 0 if this is not the
 * case.
 */
function stuckInMs(line: FeedLine, nowMs: number): number {
  if (line.inFlight === 0 || isStuck(line, nowMs)) return 0;
  return Math.max(line.lastBeginMs, line.lastEndMs) + line.guard.stuckAfterMs - nowMs;
}
