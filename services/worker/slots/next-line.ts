import { slotsOf, type FeedLine, type SlotGroup } from './slot-group.ts';
import type { SlotPool } from './slot-pool.ts';

export interface NextLine {
  group: SlotGroup;
  line: FeedLine;
}

/**
 * Of the shards that may call, the one with the fewest calls in flight, and of its feeds likewise; among equals, who
 * waited longest.
 */
export function nextLine(groups: Iterable<SlotGroup>, total: SlotPool, nowMs: number): NextLine | undefined {
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
  // Whose turn it is waits until the rate has room for it: passed over, a large batch would wait for ever behind small
  // ones.
  const isRated = best && group.rate && group.rate.waitMs(best.waiting.first()?.count ?? 0, nowMs) > 0;
  return isRated ? undefined : best;
}

interface Turn {
  inFlight: number;
  lastTurn: number;
}

function comesBefore(a: Turn, b: Turn): boolean {
  return a.inFlight < b.inFlight || (a.inFlight === b.inFlight && a.lastTurn < b.lastTurn);
}

/** Until time alone lets a call of the shard begin; infinite when it will not, or when nothing holds it back. */
export function heldBackForMs({ breaker, adaptive, rate, lines }: SlotGroup, nowMs: number): number {
  if (breaker.isOpen(nowMs)) return breaker.callInMs(nowMs);
  if (adaptive.pausedForMs(nowMs) > 0) return adaptive.pausedForMs(nowMs);
  if (!rate) return Number.POSITIVE_INFINITY;
  const waits = [...lines.values()].flatMap((line) => line.waiting.first()?.count ?? []);
  return Math.min(...waits.map((users) => rate.waitMs(users, nowMs)).filter((ms) => ms > 0));
}
