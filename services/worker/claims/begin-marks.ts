import type { StepBegin } from '../../../shared/ports/step-ledger.ts';

/**
 * Calls of steps whose lease lapsed before: that they begin is written first, with the next flush, so that one more
 * lapse is known for certain.
 */
export interface BeginMarks {
  /** False when the step is another's by now: it must not be called. */
  mark(begin: StepBegin): Promise<boolean>;
  /** To be written with the next flush; stays until it is settled. */
  waiting(): readonly StepBegin[];
  /** They were written, those in `begun` at least: the others are not ours. */
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
