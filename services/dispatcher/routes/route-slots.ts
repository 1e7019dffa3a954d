/**
 * Number of slots from which a route must leave some to other routes. It leaves one of `reservedPart` slots, but at
 * least one.
 */
const slotsWithReserve = 3;
const reservedPart = 8;

/** Returns the number of slots that a line must leave to other lines, even if all its calls are answered. */
export function reservedOf(slots: number): number {
  return slots < slotsWithReserve ? 0 : Math.max(1, Math.floor(slots / reservedPart));
}

/**
 * Returns a number of calls. A line may make its first call while other lines that do not flow have fewer calls than
 * this.
 */
export function firstCallsOf(slots: number): number {
  return Math.min(slots, halfOf(slots) + Math.max(1, reservedOf(slots)));
}

/**
 * Returns half of the slots. All unanswered lines together may use at most this half, and so may a line that has not
 * been answered yet.
 */
export function halfOf(slots: number): number {
  return Math.max(1, Math.floor(slots / 2));
}
