import type { Recurrence } from './recurrence.ts';

/**
 * Instants in an hour: of an expression, in each hour in which it fires at all; of an interval, in the mean. It costs
 * nothing, whatever the zone and however seldom it recurs.
 */
export function instantsPerHour(recurrence: Recurrence): number {
  if (recurrence.kind === 'interval') return 3_600_000 / recurrence.everyMs;
  const { times } = recurrence.cron;
  return times.length / new Set(times.map((minute) => Math.floor(minute / 60))).size;
}
