/**
 * Minimum number of slots at which a route must leave some to other routes. It leaves one of `reservedPart` slots, and
 * at least one.
 */
const slotsWithReserve = 3;
const reservedPart = 8;

/** Returns the number of slots that a line must leave to other lines, even if all its calls are answered. */
export function reservedOf(slots: number): number {
  return slots < slotsWithReserve ? 0 : Math.max(1, Math.floor(slots / reservedPart));
}

/** Returns the number of calls of other lines that do not flow, below which a line may make its first call. */
export function firstCallsOf(slots: number): number {
  return Math.min(slots, halfOf(slots) + Math.max(1, reservedOf(slots)));
}

/**
 * Returns half of the slots. This is the maximum for all unanswered lines together, and for a line that has not been
 * answered yet.
 */
export function halfOf(slots: number): number {
  return Math.max(1, Math.floor(slots / 2));
}
