/**
 * What becomes of a time that falls on a day off.
 * - `skip`: nothing fires
 * - `before`, `after`: it fires at the same time of the nearest working day before or after it, together with what
 *   falls there anyway
 */
export const dayOffPolicies = ['skip', 'before', 'after'] as const;
export type DayOffPolicy = (typeof dayOffPolicies)[number];

/** Which days are off. A day is written as milliseconds from 1970-01-01 to its midnight, whatever the zone. */
export interface WorkCalendar {
  /** 0 (Sunday) to 6. */
  weekDaysOff: ReadonlySet<number>;
  /** What each is called; empty where it has no name. */
  datesOff: ReadonlyMap<number, string>;
}

export type WorkCalendars = ReadonlyMap<string, WorkCalendar>;

export interface DaysOff {
  calendar: WorkCalendar;
  policy: DayOffPolicy;
}

const dayMs = 86_400_000;

/** Days off in a row, at most: a search for a working day ends. */
export const mostDaysOffInARow = 62;

/** @param localMs any time of the day */
export function dayOf(localMs: number): number {
  return Math.floor(localMs / dayMs) * dayMs;
}

export function isDayOff({ weekDaysOff, datesOff }: WorkCalendar, day: number): boolean {
  return weekDaysOff.has(weekDayOf(day)) || datesOff.has(day);
}

/** 1970 began with a Thursday. */
function weekDayOf(day: number): number {
  return (((day / dayMs + 4) % 7) + 7) % 7;
}

const weekDays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

/** Why it is one: the name of its date, or its weekday; `day off` for a date without a name. */
export function whyDayOff({ datesOff }: WorkCalendar, day: number): string {
  const name = datesOff.get(day);
  if (name !== undefined && name !== '') return name;
  return name === '' ? 'day off' : (weekDays[weekDayOf(day)] ?? '');
}

/**
 * The days off whose times are moved to a working day, nearest first.
 * @param isNamed whether a day would have times at all
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

/** The longest row of days off, up to one more than there may be. Weekdays alone leave one in seven at least. */
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
