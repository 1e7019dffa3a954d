/**
 * Policies for times on a day off.
 * - `skip`: the time does not fire
 * - `before`, `after`: the time fires at the same time of the nearest working day before or after; it merges with a
 *   time of that day
 */
export const dayOffPolicies = ['skip', 'before', 'after'] as const;
export type DayOffPolicy = (typeof dayOffPolicies)[number];

/** Days off. A day is written as milliseconds from 1970-01-01 to its midnight, whatever the zone. */
export interface WorkCalendar {
  /** Weekdays, 0 (Sunday) to 6. */
  weekDaysOff: ReadonlySet<number>;
  /** Names of the dates; empty for dates without a name. */
  datesOff: ReadonlyMap<number, string>;
}

export type WorkCalendars = ReadonlyMap<string, WorkCalendar>;

export interface DaysOff {
  calendar: WorkCalendar;
  policy: DayOffPolicy;
}

const dayMs = 86_400_000;

/** Maximum number of consecutive days off, which bounds the search for a working day. */
export const mostDaysOffInARow = 62;

/**
 * Returns the day of a wall-clock time.
 * @param localMs any time of the day
 */
export function dayOf(localMs: number): number {
  return Math.floor(localMs / dayMs) * dayMs;
}

export function isDayOff({ weekDaysOff, datesOff }: WorkCalendar, day: number): boolean {
  return weekDaysOff.has(weekDayOf(day)) || datesOff.has(day);
}

/** Relies on 1 January 1970 being a Thursday. */
function weekDayOf(day: number): number {
  return (((day / dayMs + 4) % 7) + 7) % 7;
}

const weekDays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

/** Returns the reason for a day off: the name of its date, or its weekday; `day off` for a date without a name. */
export function whyDayOff({ datesOff }: WorkCalendar, day: number): string {
  const name = datesOff.get(day);
  if (name !== undefined && name !== '') return name;
  return name === '' ? 'day off' : (weekDays[weekDayOf(day)] ?? '');
}

/**
 * Yields the days off whose times move to a working day, nearest first.
 * @param isNamed returns true if the recurrence has times on a day
 */
export function* movedTo(
  day: number,
  { calendar, policy }: DaysOff,
  isNamed: (day: number) => boolean,
): Generator<number, void> {
  if (policy === 'skip') return;
  const stepMs = policy === 'after' ? -dayMs : dayMs;
  let off = day + stepMs;
  for (let days = 0; days < mostDaysOffInARow && isDayOff(calendar, off); days++, off += stepMs) {
    if (isNamed(off)) yield off;
  }
}

/**
 * Returns the longest sequence of days off, at most one more than the limit. Weekdays off leave at least one working
 * day a week, so only sequences with dates are examined.
 */
export function longestRowOff(calendar: WorkCalendar): number {
  let longest = 0;
  for (const date of calendar.datesOff.keys()) {
    const before = rowFrom(calendar, date - dayMs, -dayMs);
    longest = Math.max(longest, Math.min(before + rowFrom(calendar, date, dayMs), mostDaysOffInARow + 1));
  }
  return longest;
}

function rowFrom(calendar: WorkCalendar, first: number, stepMs: number): number {
  let days = 0;
  while (days <= mostDaysOffInARow && isDayOff(calendar, first + days * stepMs)) days++;
  return days;
}
