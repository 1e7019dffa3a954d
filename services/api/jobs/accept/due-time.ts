import type { NewDue } from '../../../../shared/contracts/jobs/due-times.ts';
import { firstInstantOf } from '../../../../shared/domain/recurrence/local-start.ts';
import { invalidRequest, quoted } from '../../frame/http-problem.ts';

/** Due time of a new job: an instant, or a delay that starts now by the database's clock. */
export type NewDueTime = { dueAt: Date } | { delayMs: number };

/** Largest delay: ten years, in milliseconds. */
const farthestMs = 3660 * 86_400_000;

/**
 * Returns the due time; the default is now.
 * @throws {HttpProblem} 422 if the time is more than ten years away
 */
export function dueTimeOf({ dueAt, delaySeconds = 0, localTime, zone }: NewDue, now: Date): NewDueTime {
  if (dueAt !== undefined) return { dueAt: within(Date.parse(dueAt), { pointer: '/dueAt', text: dueAt, now }) };
  if (localTime === undefined || zone === undefined) return { delayMs: Math.round(delaySeconds * 1000) };
  const atMs = firstInstantOf(zone, Date.parse(`${localTime}Z`));
  return { dueAt: within(atMs, { pointer: '/localTime', text: localTime, now }) };
}

/**
 * Returns a due time that is at most ten years away. A time before 1970 becomes 1970: the job is due now in both cases,
 * and Postgres has no year 0.
 */
function within(atMs: number, { pointer, text, now }: { pointer: string; text: string; now: Date }): Date {
  if (atMs - now.getTime() <= farthestMs) return new Date(Math.max(0, atMs));
  const detail = `has to lie within ten years from now, not ${quoted(text)}`;
  throw invalidRequest([{ pointer, code: 'out-of-range', detail }]);
}
