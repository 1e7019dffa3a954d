import { wallClock } from '../when/zoned-times.ts';

export interface ClockChange {
  /** The first instant at which the clocks show another offset. */
  at: string;
  /** They leap over some time, or show some twice. */
  isForward: boolean;
}

const dayMs = 86_400_000;
/** Where none comes within so long, none is in sight. */
const sightMs = 370 * dayMs;
/** Between two looks: no zone changes twice within it. */
const stepMs = 7 * dayMs;

/** By zone and day: a list shows one zone many times. */
const known = new Map<string, ClockChange | null>();

/** When the clocks of a zone change next; null where none does within a year. */
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

/** The first instant with the offset of the second. */
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
