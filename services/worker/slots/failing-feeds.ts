/*
 * Bound on feeds whose last call was not answered, while other feeds are answered. Each of them may have few calls in
 * flight, but many together would fill the shard's slots with calls that hang.
 */
import { isServed, type SlotGroup } from './slot-group.ts';

/** Share of the shard's slots that failing feeds may hold together while another feed is answered. */
const failingPart = 1 / 2;

/** Returns the calls in flight of feeds whose last call was not answered, without those whose slots are lent. */
export function failingCalls({ lines }: SlotGroup): number {
  let calls = 0;
  for (const { guard, inFlight, lent } of lines.values()) if (guard.isFailing) calls += inFlight - lent;
  return calls;
}

/** Returns how many slots feeds whose last call was not answered may hold together. */
export function failingBound({ lines }: SlotGroup, slots: number, nowMs: number): number {
  for (const line of lines.values()) {
    if (!line.guard.isFailing && isServed(line, nowMs)) return Math.max(1, Math.floor(slots * failingPart));
  }
  return Number.POSITIVE_INFINITY;
}
