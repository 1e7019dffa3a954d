import type { Cron } from './cron.ts';
import { isRuledDay } from './cron-days.ts';
import { dayOf, isDayOff, movedTo, type DaysOff, type WorkCalendar } from './work-calendars.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Search horizon: every day of an expression occurs within 8 years; a date that is also a weekday may take 40. */
const horizonMs = 50 * 366 * dayMs;

/**
 * Yields the wall-clock minutes that an expression names, ascending, from `fromMs` (inclusive) to `untilMs`
 * (exclusive). A wall-clock time is written as milliseconds since 1970-01-01T00:00 on that clock, whatever its zone.
 */
export function* localTimes(cron: Cron, fromMs: number, untilMs: number): Generator<number, void> {
  const endMs = Math.min(untilMs, fromMs + horizonMs);
  let day = Math.floor(fromMs / dayMs) * dayMs;
  while (day < endMs) {
    const date = new Date(day);
    if (!cron.months.has(date.getUTCMonth() + 1)) {
      day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
      continue;
    }
    if (isDayOf(cron, date)) {
      for (const minute of cron.times) {
        const at = day + minute * minuteMs;
        if (at >= endMs) return;
        if (at >= fromMs) yield at;
      }
    }
    day += dayMs;
  }
}

/**
 * Returns the same times as `localTimes` for a calendar with days off: times on days off are omitted, or moved to a
 * working day. All days of an expression have the same times, so two days that move to the same day give each time
 * once.
 */
export function workingTimes(cron: Cron, daysOff: DaysOff, fromMs: number, untilMs: number): Iterable<number> {
  return timesOfDays(cron, fromMs, untilMs, (day) => {
    if (isDayOff(daysOff.calendar, day)) return false;
    return isCronDay(cron, day) || movedDays(cron, daysOff, day).next().done !== true;
  });
}

export function timesOfDaysOff(cron: Cron, calendar: WorkCalendar, fromMs: number, untilMs: number): Iterable<number> {
  return timesOfDays(cron, fromMs, untilMs, (day) => isDayOff(calendar, day) && isCronDay(cron, day));
}

function* timesOfDays(
  cron: Cron,
  fromMs: number,
  untilMs: number,
  hasTimes: (day: number) => boolean,
): Generator<number, void> {
  const endMs = Math.min(untilMs, fromMs + horizonMs);
  for (let day = dayOf(fromMs); day < endMs; day += dayMs) {
    if (!hasTimes(day)) continue;
    for (const minute of cron.times) {
      const at = day + minute * minuteMs;
      if (at >= endMs) return;
      if (at >= fromMs) yield at;
    }
  }
}

/** Yields the days off that an expression names and that move to this day, nearest first. */
export function movedDays(cron: Cron, daysOff: DaysOff, day: number): Generator<number, void> {
  return movedTo(day, daysOff, (off) => isCronDay(cron, off));
}

function isCronDay(cron: Cron, day: number): boolean {
  const date = new Date(day);
  return cron.months.has(date.getUTCMonth() + 1) && isDayOf(cron, date);
}

function isDayOf({ monthDays, weekDays, monthDayRules, weekDayRules, eitherDay }: Cron, date: Date): boolean {
  const byDate = monthDays.has(date.getUTCDate()) || monthDayRules.some((rule) => isRuledDay(rule, date));
  const byWeekDay = weekDays.has(date.getUTCDay()) || weekDayRules.some((rule) => isRuledDay(rule, date));
  return eitherDay ? byDate || byWeekDay : byDate && byWeekDay;
}
