import type { Campaign } from '#client/types.gen.ts';
import type { IconName } from '../icon/icon.tsx';

/** States of campaigns and of runs. A campaign that has run shows the state of its latest run. */
export type DisplayState = Campaign['state'];

export type Tone = 'run' | 'ok' | 'bad' | 'warn' | 'odd' | 'idle';

export interface StateLook {
  icon: IconName;
  word: string;
  tone: Tone;
}

const looks: Readonly<Record<DisplayState, StateLook>> = {
  draft: { icon: 'draft', word: 'Draft', tone: 'idle' },
  in_review: { icon: 'review', word: 'In review', tone: 'warn' },
  scheduled: { icon: 'scheduled', word: 'Scheduled', tone: 'idle' },
  preparing: { icon: 'running', word: 'Preparing', tone: 'run' },
  running: { icon: 'running', word: 'Running', tone: 'run' },
  pausing: { icon: 'paused', word: 'Pausing', tone: 'warn' },
  paused: { icon: 'paused', word: 'Paused', tone: 'warn' },
  cancelling: { icon: 'cancelled', word: 'Cancelling', tone: 'idle' },
  cancelled: { icon: 'cancelled', word: 'Cancelled', tone: 'idle' },
  completed: { icon: 'done', word: 'Completed', tone: 'ok' },
  completed_with_failures: { icon: 'partly', word: 'Completed', tone: 'ok' },
  expired: { icon: 'expired', word: 'Expired', tone: 'warn' },
  failed: { icon: 'failed', word: 'Failed', tone: 'bad' },
};

export function lookOf(state: DisplayState): StateLook {
  return looks[state];
}

interface Outcomes {
  state: DisplayState;
  audience: { complete: boolean };
  steps: readonly { failed: number; unknown: number; pending: number; cancelled: number }[];
}

/**
 * Returns the state of a run by its effect on users. If a run was cancelled after all its users had ended, the
 * cancellation changed nothing, so the run counts as completed.
 */
export function effectiveState({ state, audience, steps }: Outcomes): DisplayState {
  const hasStopped = steps.some(({ cancelled, pending }) => cancelled > 0 || pending > 0);
  if (state !== 'cancelled' || !audience.complete || steps.length === 0 || hasStopped) return state;
  return steps.some(({ failed, unknown }) => failed > 0 || unknown > 0) ? 'completed_with_failures' : 'completed';
}

/** Returns true if a campaign can be changed and started: it was not submitted, or awaits its approval. */
export function isDraft(state: DisplayState): boolean {
  return state === 'draft' || state === 'in_review';
}

const ended: ReadonlySet<DisplayState> = new Set([
  'cancelled',
  'completed',
  'completed_with_failures',
  'expired',
  'failed',
]);

export function hasEnded(state: DisplayState): boolean {
  return ended.has(state);
}
