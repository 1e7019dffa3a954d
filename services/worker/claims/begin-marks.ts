import type { StepBegin } from '../../../shared/ports/step-ledger.ts';

/**
 * Marks that the call of a step has begun, for steps whose lease lapsed before. The mark is written with the next
 * flush, before the call. If the lease lapses again, the call is then known to have begun.
 */
export interface BeginMarks {
  /**
   * Marks a begin. Resolves with false if another worker has the step by now; the caller must then not call the
   * endpoint.
   */
  mark(begin: StepBegin): Promise<boolean>;
  /** Returns the marks to write with the next flush; they stay until they are settled. */
  waiting(): readonly StepBegin[];
  /** Settles written marks. Marks missing in `begun` are of steps that belong to another worker. */
  settle(written: readonly StepBegin[], begun: readonly StepBegin[]): void;
}

export function createBeginMarks(onMarked: () => void): BeginMarks {
  const waiting = new Map<StepBegin, (isOurs: boolean) => void>();

  return {
    mark: ({ feedId, batchNo, step, epoch }) =>
      new Promise((resolve) => {
        waiting.set({ feedId, batchNo, step, epoch }, resolve);
        onMarked();
      }),
    waiting: () => (waiting.size === 0 ? none : [...waiting.keys()]),
    settle: (written, begun) => {
      if (written.length === 0) return;
      const keys = new Set(begun.map(keyOf));
      for (const begin of written) {
        waiting.get(begin)?.(keys.has(keyOf(begin)));
        waiting.delete(begin);
      }
    },
  };
}

const none: readonly StepBegin[] = [];

function keyOf({ feedId, batchNo, step, epoch }: StepBegin): string {
  return `${feedId}/${batchNo}/${step}/${epoch}`;
}
