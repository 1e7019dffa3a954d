/*
 * Limit for feeds whose last call was not answered (failing feeds), while other feeds are answered. Each failing feed
 * may have few calls in flight, but many such feeds together could fill the shard's slots with calls that hang.
 */
import { isServed, type SlotGroup } from './slot-group.ts';

/** Share of the shard's slots that all failing feeds together may have while another feed is answered. */
const failingPart = 1 / 2;

/** Returns the number of calls in flight of failing feeds. Calls whose slots are lent to others do not count. */
export function failingCalls({ lines }: SlotGroup): number {
  let calls = 0;
  for (const { guard, inFlight, lent } of lines.values()) if (guard.isFailing) calls += inFlight - lent;
  return calls;
}

/** Returns how many slots all failing feeds together may have. */
export function failingBound({ lines }: SlotGroup, slots: number, nowMs: number): number {
  for (const line of lines.values()) {
    if (!line.guard.isFailing && isServed(line, nowMs)) return Math.max(1, Math.floor(slots * failingPart));
  }
  return Number.POSITIVE_INFINITY;
}
