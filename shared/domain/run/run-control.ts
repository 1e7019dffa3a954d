import type { RunEventKind } from './run-events.ts';
import { isTerminal, type RunState } from './run-states.ts';

/**
 * Requests of people about a run.
 *
 * - `pause`: no new call starts. Calls in progress are still recorded; then the run is `paused`.
 * - `resume`: the run continues.
 * - `cancel`: work that has not started is recorded as cancelled. This cannot be undone.
 */
export const controlVerbs = ['pause', 'resume', 'cancel'] as const;

export type ControlVerb = (typeof controlVerbs)[number];

export const controlEvents: Record<ControlVerb, RunEventKind> = {
  pause: 'pausing',
  resume: 'resumed',
  cancel: 'cancelling',
};

/** Effect of a verb on a run. `stays` means that the verb has taken effect already, which is no error. */
export type ControlMove =
  { kind: 'move'; to: RunState } | { kind: 'stays' } | { kind: 'forbidden'; allowed: readonly RunState[] };

/** States in which a verb changes the run, and states in which the verb has taken effect already. */
const table: Record<ControlVerb, { from: readonly RunState[]; done: readonly RunState[] }> = {
  pause: { from: ['preparing', 'running'], done: ['pausing', 'paused'] },
  resume: { from: ['pausing', 'paused'], done: ['preparing', 'running'] },
  cancel: { from: ['preparing', 'running', 'pausing', 'paused'], done: ['cancelling', 'cancelled'] },
};

/**
 * Returns the effect of a verb on a run.
 * @param hasBegun true if the run has feeds: users may have been called. A run that has not begun has no calls in
 * progress and no users to account for, so it needs no intermediate state.
 */
export function moveOf(verb: ControlVerb, state: RunState, hasBegun: boolean): ControlMove {
  const { from, done } = table[verb];
  if (done.includes(state)) return { kind: 'stays' };
  if (!from.includes(state)) return { kind: 'forbidden', allowed: [...from, ...done] };
  switch (verb) {
    case 'pause':
      return { kind: 'move', to: hasBegun ? 'pausing' : 'paused' };
    case 'resume':
      return { kind: 'move', to: hasBegun ? 'running' : 'preparing' };
    case 'cancel':
      return { kind: 'move', to: hasBegun ? 'cancelling' : 'cancelled' };
  }
}

/** Returns whether deadline, priority and pace of the run may still be changed. */
export function isChangeable(state: RunState): boolean {
  return !isTerminal(state) && state !== 'cancelling';
}

/**
 * Milliseconds after the answer to a pause or a cancellation within which the last call starts. Workers read the states
 * of their runs every half second; the rest is a margin for a slow database and a slow process.
 */
export const lastCallSentWithinMs = 2000;

/**
 * Returns the milliseconds until calls sent before the stop have ended too.
 * @param timeoutsMs of the endpoints of the chain
 */
export function timeToStopMs(timeoutsMs: readonly number[]): number {
  return lastCallSentWithinMs + Math.max(0, ...timeoutsMs);
}
