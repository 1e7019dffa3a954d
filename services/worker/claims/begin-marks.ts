import type { StepBegin } from '../../../shared/ports/step-ledger.ts';

/**
 * Marks that the call of a step has begun, for steps whose lease has lapsed before. The next flush writes the mark,
 * before the call is made. If the lease lapses again, it is then certain that the call had begun.
 */
export interface BeginMarks {
  /**
   * Marks a begin. Resolves with false if another worker has claimed the step meanwhile; the caller must then not call
   * the endpoint.
   */
  mark(begin: StepBegin): Promise<boolean>;
  /** Returns the marks to write with the next flush. Each is returned until `settle` is called for it. */
  waiting(): readonly StepBegin[];
  /** Settles marks that were written. A mark that is not in `begun` is of a step that another worker has claimed. */
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
