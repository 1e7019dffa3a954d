/** Number of slots from which a route leaves one of eight, at least one, to other routes. */
const slotsWithReserve = 3;
const reservedPart = 8;

/** Returns the slots that a line leaves to the others, however well it is answered. */
export function reservedOf(slots: number): number {
  return slots < slotsWithReserve ? 0 : Math.max(1, Math.floor(slots / reservedPart));
}

/** Returns how many calls of unanswered lines may be in flight together when a line is called for the first time. */
export function firstCallsOf(slots: number): number {
  return Math.min(slots, halfOf(slots) + Math.max(1, reservedOf(slots)));
}

/** Returns the slots of unanswered lines together, and of a line that has not been answered yet. */
export function halfOf(slots: number): number {
  return Math.max(1, Math.floor(slots / 2));
}
