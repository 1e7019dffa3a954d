import { formatDay } from '../../../parts/times/times.ts';

/** Formats a typed time: `Tue 1 Dec 2026, 09:00` for `2026-12-01 09:00`; null if it is incomplete. */
export function formatTypedTime(time: string): string | null {
  const [, day = '', clock = ''] = /^(\d{4}-\d{2}-\d{2})[T\s]+(\d{2}:\d{2}(?::\d{2})?)$/.exec(time.trim()) ?? [];
  const at = new Date(`${day}T${clock.length === 5 ? `${clock}:00` : clock}Z`);
  if (day === '' || Number.isNaN(at.getTime()) || !at.toISOString().startsWith(day)) return null;
  return `${formatDay(at, { zone: 'UTC', now: new Date(0) })}, ${clock}`;
}
