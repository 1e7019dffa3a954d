import type { RunState } from './run-states.ts';

/** Whether work of a run may start: call it, give it back, or record it as cancelled or expired without a call. */
export type Verdict = 'go' | 'hold' | 'cancel' | 'expire';

export function admissionOf(state: RunState, deadlinePassed: boolean): Verdict {
  switch (state) {
    case 'running':
      return deadlinePassed ? 'expire' : 'go';
    case 'cancelling':
    case 'cancelled':
      return 'cancel';
    // What is over is left as it ended; what is paused past its deadline expires when it is resumed.
    case 'preparing':
    case 'pausing':
    case 'paused':
    case 'completed':
    case 'completed_with_failures':
    case 'expired':
    case 'failed':
      return 'hold';
  }
}

/** States whose steps still have to reach a worker: to be called, or to be recorded as cancelled. */
export const sweptStates: readonly RunState[] = ['running', 'cancelling'];
