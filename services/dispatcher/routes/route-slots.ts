/** From this many slots on, a route leaves some to the others: one of eight, one at least. */
const slotsWithReserve = 3;
const reservedPart = 8;

/** Slots that a line leaves to the others, however well it is answered. */
export function reservedOf(slots: number): number {
  return slots < slotsWithReserve ? 0 : Math.max(1, Math.floor(slots / reservedPart));
}

/** Calls of lines that are not answered that may be in flight together when a line is called for the first time. */
export function firstCallsOf(slots: number): number {
  return Math.min(slots, halfOf(slots) + Math.max(1, reservedOf(slots)));
}

/** Slots of lines that are not answered, and of one that has not been answered yet. */
export function halfOf(slots: number): number {
  return Math.max(1, Math.floor(slots / 2));
}
