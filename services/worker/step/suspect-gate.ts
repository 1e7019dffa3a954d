import type { Work } from './work.ts';

/** Lets one suspect through at a time (shared/domain/step/suspects.ts). */
export interface SuspectGate {
  /** False while another one is under way: it has to wait, and no worker has it meanwhile. */
  enter(work: Work): boolean;
  /** No effect for a batch that has not entered. */
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
