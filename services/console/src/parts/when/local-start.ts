import { formatDay } from '../times/times.ts';

/**
 * Formats a wall-clock time of several countries: `Sun 29 Nov, 09:00`. The day is always shown, because a time without
 * a zone has no today.
 * @param time `2026-11-29T09:00:00`, or as typed; a text that is not a time is returned unchanged
 */
export function localStart(time: string, now: Date): string {
  const [, day, clock] = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})/.exec(time.trim()) ?? [];
  if (day === undefined || clock === undefined || Number.isNaN(Date.parse(`${day}T00:00:00Z`)))
    return time.replace('T', ' ');
  return `${formatDay(`${day}T00:00:00Z`, { zone: 'UTC', now })}, ${clock}`;
}
