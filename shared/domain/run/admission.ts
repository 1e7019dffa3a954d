import type { RunState } from './run-states.ts';

/** Decision about work of a run: call, release, or record as cancelled or expired without a call. */
export type Verdict = 'go' | 'hold' | 'cancel' | 'expire';

export function admissionOf(state: RunState, deadlinePassed: boolean): Verdict {
  switch (state) {
    case 'running':
      return deadlinePassed ? 'expire' : 'go';
    case 'cancelling':
    case 'cancelled':
      return 'cancel';
    // Ended runs stay as they ended. A run that is paused beyond its deadline expires when it is resumed.
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

/** States whose steps must still reach a worker: to be called, or to be recorded as cancelled. */
export const sweptStates: readonly RunState[] = ['running', 'cancelling'];
