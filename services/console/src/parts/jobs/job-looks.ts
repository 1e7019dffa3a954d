import type { JobSummary } from '#client/types.gen.ts';
import type { StateLook } from '../standing/state-looks.ts';

export type JobState = JobSummary['state'];

const looks: Readonly<Record<JobState, StateLook>> = {
  pending: { icon: 'scheduled', word: 'Pending', tone: 'idle' },
  waiting: { icon: 'pending', word: 'Waiting', tone: 'idle' },
  firing: { icon: 'running', word: 'Calling', tone: 'run' },
  reporting: { icon: 'running', word: 'Reporting', tone: 'run' },
  sidelined: { icon: 'sideline', word: 'Sidelined', tone: 'warn' },
  called: { icon: 'done', word: 'Called', tone: 'ok' },
  expired: { icon: 'expired', word: 'Expired', tone: 'warn' },
  cancelled: { icon: 'cancelled', word: 'Cancelled', tone: 'idle' },
  dead: { icon: 'dead', word: 'Dead', tone: 'bad' },
};

export function jobLook(state: JobState): StateLook {
  return looks[state];
}

/** Returns true if a job can be cancelled: it has not ended, and no call is under way. */
export function canCancel(state: JobState): boolean {
  return canReschedule(state) || state === 'reporting';
}

/** Returns true if a job can also be rescheduled: no receiver works on it. */
export function canReschedule(state: JobState): boolean {
  return state === 'pending' || state === 'waiting' || state === 'sidelined';
}

/** Returns true if a job has ended and may be sent again. */
export function jobHasEnded(state: JobState): boolean {
  return state === 'called' || state === 'expired' || state === 'cancelled' || state === 'dead';
}
