/**
 * The states of a run, who moves it on, and what a crash in that state leaves.
 *
 * - `preparing`: inserted by its fire; a trigger asks the segmentation service and inserts the feeds. A crash leaves it
 *   here, the next trigger prepares it again.
 * - `running`: feeders page, workers work. A crash leaves leases that run out.
 * - `pausing` / `paused`: nothing new starts; what was called is still recorded. A trigger makes it `paused` when no
 *   worker holds a step of it any more; a person lets it go on. A run that was paused before it began goes on with
 *   being prepared.
 * - `cancelling`: what has not started is being recorded as cancelled. A run that has not begun is `cancelled` at once.
 * - `completed`, `completed_with_failures`, `cancelled`, `expired`, `failed`: terminal, never reopened. `failed` means
 *   the run could not be carried out at all (no such segment), with a cause.
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

/** The states from which `to` can be reached in one move: the `where state in (…)` of its compare-and-set. */
export function statesBefore(to: RunState): RunState[] {
  return runStates.filter((from) => canMove(from, to));
}
