import type { Work } from './work.ts';

/** Lets only one suspect (a batch that may have crashed workers) at a time pass (shared/domain/step/suspects.ts). */
export interface SuspectGate {
  /**
   * Returns true if the batch may be called. Returns false while another suspect is in progress; the batch must then be
   * released.
   */
  enter(work: Work): boolean;
  /** Reports that the batch is done. Has no effect for a batch that has not entered. */
  leave(work: Work): void;
}

export function createSuspectGate(): SuspectGate {
  let entered: Work | null = null;
  return {
    enter: (work) => {
      if (entered !== null) return false;
      entered = work;
      return true;
    },
    leave: (work) => {
      if (entered === work) entered = null;
    },
  };
}
