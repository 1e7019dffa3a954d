import type { RunEventKind } from './run-events.ts';
import { isTerminal, type RunState } from './run-states.ts';

/**
 * What people may ask of a run.
 *
 * - `pause`: nothing new starts. What is under way is still recorded; then the run is `paused`.
 * - `resume`: it goes on where it stood.
 * - `cancel`: what has not started is recorded as cancelled. There is no way back.
 */
export const controlVerbs = ['pause', 'resume', 'cancel'] as const;

export type ControlVerb = (typeof controlVerbs)[number];

/** What a run's history says when a verb changes something. */
export const controlEvents: Record<ControlVerb, RunEventKind> = {
  pause: 'pausing',
  resume: 'resumed',
  cancel: 'cancelling',
};

/** `stays`: it is done already, which is no error. */
export type ControlMove =
  { kind: 'move'; to: RunState } | { kind: 'stays' } | { kind: 'forbidden'; allowed: readonly RunState[] };

/** States in which a verb changes something, and those in which it is done already. */
const table: Record<ControlVerb, { from: readonly RunState[]; done: readonly RunState[] }> = {
  pause: { from: ['preparing', 'running'], done: ['pausing', 'paused'] },
  resume: { from: ['pausing', 'paused'], done: ['preparing', 'running'] },
  cancel: { from: ['preparing', 'running', 'pausing', 'paused'], done: ['cancelling', 'cancelled'] },
};

/**
 * @param hasBegun it has feeds: users may have been called for. A run that has not begun has nothing under way, and no
 * user to account for, so it needs no way in between.
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

/** Whether deadline, priority and pace of the run may still be changed. */
export function isChangeable(state: RunState): boolean {
  return !isTerminal(state) && state !== 'cancelling';
}

/**
 * So soon after the answer to a pause or a cancellation no call starts any more: workers read the states of the runs
 * they serve every half second, and the rest is for a slow database and a slow process.
 */
export const lastCallSentWithinMs = 2000;

/** Until whatever was sent before the stop has ended too. @param timeoutsMs of the endpoints of the chain */
export function timeToStopMs(timeoutsMs: readonly number[]): number {
  return lastCallSentWithinMs + Math.max(0, ...timeoutsMs);
}
