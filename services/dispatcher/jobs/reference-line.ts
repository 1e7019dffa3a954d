import type { ReceivedReference } from './received-reference.ts';

/** Queue of references of one client and one priority that wait for their claim, the oldest first. */
export interface ReferenceLine {
  readonly length: number;
  add(reference: ReceivedReference): void;
  take(count: number): readonly ReceivedReference[];
  /** Returns references to the front of the queue. */
  requeue(references: readonly ReceivedReference[]): void;
}

export function createReferenceLine(): ReferenceLine {
  /**
   * References that were taken stay at the start of the array for a while. Removing each of them from the front would
   * take time proportional to the length of the array.
   */
  let references: ReceivedReference[] = [];
  let taken = 0;
  return {
    get length() {
      return references.length - taken;
    },
    add: (reference) => void references.push(reference),
    take: (count) => {
      const got = references.slice(taken, taken + count);
      taken += got.length;
      if (taken > 1000 && taken * 2 > references.length) {
        references = references.slice(taken);
        taken = 0;
      }
      return got;
    },
    requeue: (returned) => {
      references = [...returned, ...references.slice(taken)];
      taken = 0;
    },
  };
}
