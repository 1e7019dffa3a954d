import { wallClock } from './zoned-times.ts';

export interface ClockChange {
  /** First instant with the new offset. */
  at: string;
  isForward: boolean;
}

const dayMs = 86_400_000;
/** Distance in milliseconds up to which the search looks ahead. */
const sightMs = 370 * dayMs;
/** Step of the search in milliseconds: no zone changes twice within it. */
const stepMs = 7 * dayMs;

/** Cache by zone and day, because a list shows one zone many times. */
const known = new Map<string, ClockChange | null>();

/** Returns the next clock change of a zone; null if there is none within a year. */
export function nextClockChange(zone: string, nowMs: number): ClockChange | null {
  const key = `${zone} ${Math.floor(nowMs / dayMs)}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const change = findChange(zone, nowMs);
  known.set(key, change);
  return change;
}

function findChange(zone: string, nowMs: number): ClockChange | null {
  const from = nowMs - (nowMs % 1000);
  const first = offsetMs(from, zone);
  for (let before = from; before < from + sightMs; before += stepMs) {
    const after = offsetMs(before + stepMs, zone);
    if (after === first) continue;
    return { at: new Date(edgeBetween(before, before + stepMs, zone)).toISOString(), isForward: after > first };
  }
  return null;
}

/** Returns the first instant, to the second, at which the zone has the offset that applies at `after`. */
function edgeBetween(before: number, after: number, zone: string): number {
  const changed = offsetMs(after, zone);
  let [low, high] = [before, after];
  while (high - low > 1000) {
    const middle = low + Math.floor((high - low) / 2000) * 1000;
    if (offsetMs(middle, zone) === changed) high = middle;
    else low = middle;
  }
  return high;
}

function offsetMs(atMs: number, zone: string): number {
  return Date.parse(`${wallClock(atMs, zone)}Z`) - atMs;
}
