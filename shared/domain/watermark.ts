/**
 * Which offsets of one partition have been delivered and not settled. Everything below `position` is settled, so that
 * is what may be committed: settling out of order moves it only when the gap closes.
 */
export interface Watermark {
  /** Offsets ascend; they may leave gaps. */
  deliver(offset: number): void;
  /** False when the offset was not waiting: never delivered, or settled before. */
  settle(offset: number): boolean;
  /** How many offsets wait to be settled. */
  readonly unsettled: number;
  /** The first offset that is not settled; undefined until something was delivered. */
  readonly position: number | undefined;
}

export function createWatermark(): Watermark {
  // A set keeps the order of insertion, so its first member is the lowest unsettled offset.
  const unsettled = new Set<number>();
  let next: number | undefined;

  return {
    deliver: (offset) => {
      unsettled.add(offset);
      next = offset + 1;
    },
    settle: (offset) => unsettled.delete(offset),
    get unsettled() {
      return unsettled.size;
    },
    get position() {
      return unsettled.values().next().value ?? next;
    },
  };
}
