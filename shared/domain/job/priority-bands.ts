import type { Priority } from '../priorities.ts';

/** The usual one is not said. */
export type SaidPriority = Exclude<Priority, 'normal'>;

export function saidPriority(priority: Priority | undefined): SaidPriority | undefined {
  return priority === 'normal' ? undefined : priority;
}

/** The first that is here is served before the others, which have their share all the same. */
export const bandOrder = ['high', 'normal', 'low'] as const satisfies readonly Priority[];

/**
 * A band is what waits of one outlet with one priority: what looks pass over, and what dispatchers give credit for. The
 * usual one has the outlet's own name, so that where nothing says a priority nothing is another.
 */
export function bandOf(outletId: string, priority?: Priority): string {
  return priority === undefined || priority === 'normal' ? outletId : `${outletId}/${priority}`;
}

/** What one of each costs: while all wait, of 21 jobs 16 are high, 4 normal and 1 is low. */
const costs = { high: 1, normal: 4, low: 16 } as const;

/** Whose turn it is while several priorities of one outlet have something that waits. Each has its share for ever. */
export interface PriorityTurns {
  /** Of those that have something. */
  next(present: readonly Priority[]): Priority;
  /** One of it was served. */
  took(priority: Priority): void;
}

/**
 * Start-time fair queuing (Goyal, Vin and Cheng, 1996): each priority has the moment at which its next one begins, in
 * units of what was served. The earliest goes, of equals the higher. What has not waited has nothing to catch up on,
 * and what waits is never put off by what comes.
 */
export function createPriorityTurns(): PriorityTurns {
  const begins: Record<Priority, number> = { ...costs };
  let now = 0;
  const startOf = (priority: Priority) => Math.max(begins[priority], now);
  return {
    next: (present) => {
      let first: Priority | undefined;
      for (const priority of bandOrder) {
        if (!present.includes(priority)) continue;
        if (first === undefined || startOf(priority) < startOf(first)) first = priority;
      }
      return first ?? 'normal';
    },
    took: (priority) => {
      now = startOf(priority);
      begins[priority] = now + costs[priority];
    },
  };
}
