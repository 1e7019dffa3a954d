import { formatDay } from '../times/times.ts';

/**
 * A time on the clocks of several countries, in the format of all other times: `Sun 29 Nov, 09:00`. Its day is always
 * there: it is no instant, so it has no today.
 *
 * @param time `2026-11-29T09:00:00`, or as somebody types it; what is no time stays as it is
 */
export function localStart(time: string, now: Date): string {
  const [, day, clock] = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})/.exec(time.trim()) ?? [];
  if (day === undefined || clock === undefined || Number.isNaN(Date.parse(`${day}T00:00:00Z`)))
    return time.replace('T', ' ');
  return `${formatDay(`${day}T00:00:00Z`, { zone: 'UTC', now })}, ${clock}`;
}
