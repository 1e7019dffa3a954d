import { formatDay } from '../times/times.ts';

/**
 * Formats a wall-clock time that applies in several countries: `Sun 29 Nov, 09:00`. The day is always shown, because
 * “today” differs by country.
 * @param time `2026-11-29T09:00:00`, or as typed; a text that is not a time is returned unchanged
 */
export function formatLocalStart(time: string, now: Date): string {
  const [, day, clock] = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})/.exec(time.trim()) ?? [];
  if (day === undefined || clock === undefined || Number.isNaN(Date.parse(`${day}T00:00:00Z`)))
    return time.replace('T', ' ');
  return `${formatDay(`${day}T00:00:00Z`, { zone: 'UTC', now })}, ${clock}`;
}
