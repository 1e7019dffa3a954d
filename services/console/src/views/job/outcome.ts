import type { Job } from '#client/types.gen.ts';
import { formatDuration } from '../../parts/times/times.ts';

type FormatTime = (instant: string, style?: { withSeconds?: boolean }) => string;

/** Returns one sentence: whether the job was or will be called, and if not, why. */
export function describeOutcome(job: Job, nowMs: number, format: FormatTime): string {
  const { state, dueAt, scheduledFor, endedAt, attempts, attempt } = job;
  const at = (instant: string) => format(instant, { withSeconds: true });
  const last = attempts.at(-1);
  switch (state) {
    case 'pending': {
      const next = dueAt ?? scheduledFor;
      const waitMs = Date.parse(next) - nowMs;
      const call = attempts.length === 0 ? 'called' : `called for the ${ordinal(attempt)} time`;
      if (waitMs > 0) return `It is ${call} at ${at(next)}, in ${formatDuration(waitMs)}.`;
      return `It has been due since ${at(next)}, and is ${call} as soon as the limits of its client allow.`;
    }
    case 'waiting':
      return 'It waits: other jobs of its ordering key are called first.';
    case 'firing':
      return 'It is being called.';
    case 'reporting':
      return `Its receiver has accepted it, and has until ${at(dueAt ?? scheduledFor)} to report.`;
    case 'sidelined':
      return 'It waits until its host responds again.';
    case 'called':
      return `It was called at ${at(last?.at ?? endedAt ?? scheduledFor)}${lateness(job)}.`;
    case 'expired':
      return `It was not called before it expired${endedAt === null ? '' : `, at ${at(endedAt)}`}.`;
    case 'cancelled':
      return `It was cancelled${endedAt === null ? '' : ` at ${at(endedAt)}`}, and will not be called.`;
    case 'dead':
      return `It was given up after ${attempts.length === 1 ? 'one call' : `${attempts.length} calls`}.`;
  }
}

function lateness({ attempts: [first], scheduledFor }: Job): string {
  if (!first) return '';
  const lateMs = Date.parse(first.at) - Date.parse(scheduledFor);
  return lateMs > 0 ? `, first ${formatDuration(lateMs)} after it was due` : '';
}

function ordinal(number: number): string {
  const [ten, one] = [number % 100, number % 10];
  if (ten > 10 && ten < 14) return `${number}th`;
  return `${number}${one === 1 ? 'st' : one === 2 ? 'nd' : one === 3 ? 'rd' : 'th'}`;
}
