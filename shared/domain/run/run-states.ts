/**
 * States of a run, the actor of each transition, and the effect of a crash.
 *
 * - `preparing`: inserted by its fire; a trigger queries the segmentation service and inserts the feeds. After a crash
 *   the run stays in this state, and the next trigger prepares it again.
 * - `running`: feeders page, workers work. A crash leaves leases that expire.
 * - `pausing` / `paused`: no new call starts; calls in progress are still recorded. A trigger changes the run to
 *   `paused` when no worker owns a step of it any more; a person resumes it. A run that was paused before it began
 *   returns to `preparing`.
 * - `cancelling`: work that has not started is being recorded as cancelled. A run that has not begun is `cancelled` at
 *   once.
 * - `completed`, `completed_with_failures`, `cancelled`, `expired`, `failed`: terminal, never reopened. `failed` means
 *   the run could not start at all (no such segment), with a cause.
 */
export const runStates = [
  'preparing',
  'running',
  'pausing',
  'paused',
  'cancelling',
  'completed',
  'completed_with_failures',
  'cancelled',
  'expired',
  'failed',
] as const;

export type RunState = (typeof runStates)[number];

const moves: Record<RunState, readonly RunState[]> = {
  preparing: ['running', 'paused', 'failed', 'expired', 'cancelled'],
  running: ['pausing', 'cancelling', 'completed', 'completed_with_failures', 'expired', 'failed'],
  pausing: ['paused', 'running', 'cancelling'],
  paused: ['running', 'preparing', 'cancelling', 'cancelled'],
  cancelling: ['cancelled'],
  completed: [],
  completed_with_failures: [],
  cancelled: [],
  expired: [],
  failed: [],
};

export type TerminalRunState = 'completed' | 'completed_with_failures' | 'cancelled' | 'expired' | 'failed';

export function canMove(from: RunState, to: RunState): boolean {
  return moves[from].includes(to);
}

export function isTerminal(state: RunState): state is TerminalRunState {
  return moves[state].length === 0;
}

/** Returns the states from which `to` can be reached in one move: the `where state in (…)` of its compare-and-set. */
export function statesBefore(to: RunState): RunState[] {
  return runStates.filter((from) => canMove(from, to));
}
