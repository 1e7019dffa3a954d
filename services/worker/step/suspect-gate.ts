import type { Work } from './work.ts';

/** Gate that lets one suspect batch through at a time (shared/domain/step/suspects.ts). */
export interface SuspectGate {
  /**
   * Returns false while another suspect is in progress. The batch must then wait, and no worker has claimed it
   * meanwhile.
   */
  enter(work: Work): boolean;
  /** Leaves the gate. Has no effect for a batch that has not entered. */
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
