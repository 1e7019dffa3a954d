import { isServed, isStuck, type FeedLine, type SlotGroup } from './slot-group.ts';
import type { SlotPool } from './slot-pool.ts';

/** Minimum time in milliseconds between two refreshes. */
const everyMs = 100;

/**
 * Determines which feeds lend their slots to other feeds: a feed in trouble, and a feed whose calls are stuck. The
 * pools limit the number of lent slots.
 */
export interface LentSlots {
  /** Determines which lines lend their slots. Has no effect within 100 ms of the last refresh. */
  refresh(nowMs: number): void;
  /** Updates a line when one of its calls has ended, or when its guard reports trouble. */
  onChange(group: SlotGroup, line: FeedLine): void;
}

export function createLentSlots(groups: ReadonlyMap<string, SlotGroup>, total: SlotPool): LentSlots {
  let refreshedAtMs = Number.NEGATIVE_INFINITY;

  function lend(group: SlotGroup, line: FeedLine): void {
    const next = line.isLending ? line.inFlight : 0;
    const nextSlow = line.isLending ? line.slow : 0;
    const by = next - line.lent;
    const slowBy = nextSlow - line.lentSlow;
    if (by === 0 && slowBy === 0) return;
    line.lent = next;
    line.lentSlow = nextSlow;
    group.lent += by;
    group.pool.lend(by, slowBy);
    total.lend(by, slowBy);
  }

  return {
    refresh: (nowMs) => {
      if (nowMs - refreshedAtMs < everyMs) return;
      refreshedAtMs = nowMs;
      const served = new Set<SlotPool>();
      for (const group of groups.values()) {
        for (const line of group.lines.values()) {
          const isLending = line.guard.isTroubled || isStuck(line, nowMs);
          line.isLending = isLending;
          if (!isLending && isServed(line, nowMs)) served.add(group.pool);
          lend(group, line);
        }
      }
      for (const { pool } of groups.values()) pool.isServed = served.has(pool);
      total.isServed = served.size > 0;
    },
    onChange: (group, line) => {
      line.isLending = line.guard.isTroubled;
      lend(group, line);
    },
  };
}
