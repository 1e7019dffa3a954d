/**
 * Delivered and unsettled offsets of one partition. Everything below `position` is settled and may be committed:
 * settling out of order moves `position` only when the gap closes.
 */
export interface Watermark {
  /** Offsets ascend; gaps are allowed. */
  deliver(offset: number): void;
  /** Returns false if the offset was never delivered, or was settled before. */
  settle(offset: number): boolean;
  readonly unsettled: number;
  /** The first unsettled offset; undefined until a message was delivered. */
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
