/** Lets one suspect through at a time (shared/domain/step/suspects.ts). */
export interface SuspectGate {
  /** False while another one is under way: it has to wait, and no worker has it meanwhile. */
  enter(): boolean;
  leave(): void;
}

export function createSuspectGate(): SuspectGate {
  let isTaken = false;
  return {
    enter: () => {
      if (isTaken) return false;
      isTaken = true;
      return true;
    },
    leave: () => {
      isTaken = false;
    },
  };
}
