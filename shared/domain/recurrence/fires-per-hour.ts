import type { Recurrence } from './recurrence.ts';

/**
 * Returns the instants per hour: of an expression, in each hour in which it fires at all; of an interval, on average.
 * The cost does not depend on the zone or the frequency.
 */
export function instantsPerHour(recurrence: Recurrence): number {
  if (recurrence.kind === 'interval') return 3_600_000 / recurrence.everyMs;
  const { times } = recurrence.cron;
  return times.length / new Set(times.map((minute) => Math.floor(minute / 60))).size;
}
