import type { Priority } from '../priorities.ts';

/** Normal priority is not stored. */
export type StoredPriority = Exclude<Priority, 'normal'>;

export function storedPriority(priority: Priority | undefined): StoredPriority | undefined {
  return priority === 'normal' ? undefined : priority;
}

/** Priorities in the order of service; lower priorities keep their share. */
export const bandOrder = ['high', 'normal', 'low'] as const satisfies readonly Priority[];

/**
 * Returns the band of an endpoint of a client and a priority. Schedulers skip whole bands, and dispatchers give credit
 * for each band. The band of normal priority has the endpoint's own name, so that without priorities band and endpoint
 * are the same.
 */
export function bandOf(endpointId: string, priority?: Priority): string {
  return priority === undefined || priority === 'normal' ? endpointId : `${endpointId}/${priority}`;
}

/**
 * Cost of a job by priority. The lower the cost, the more jobs are chosen: while jobs of all priorities wait, 16 of 21
 * jobs are high, 4 are normal and 1 is low.
 */
const costs = { high: 1, normal: 4, low: 16 } as const;

/** Chooses the next priority while several priorities of one endpoint have waiting jobs. Each keeps its share. */
export interface PriorityTurns {
  next(present: readonly Priority[]): Priority;
  took(priority: Priority): void;
}

/**
 * Chooses by start-time fair queuing (Goyal, Vin and Cheng, 1996): each priority has a virtual time at which its next
 * job begins, in units of served cost. The earliest is next; on a tie, the higher priority. A priority without waiting
 * jobs earns no credit, and new jobs never delay waiting jobs further.
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
