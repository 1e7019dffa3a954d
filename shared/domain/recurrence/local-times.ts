import type { Cron } from './cron.ts';
import { isRuledDay } from './cron-days.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

/**
 * Within eight years comes every day that an expression can name; what asks for both a date and a weekday may wait 40.
 */
const horizonMs = 50 * 366 * dayMs;

/**
 * The wall-clock minutes that an expression names, ascending, from `fromMs` (inclusive) to `untilMs` (exclusive). A
 * wall-clock time is written as milliseconds since 1970-01-01T00:00 on that clock, whatever its zone.
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

function isDayOf({ monthDays, weekDays, monthDayRules, weekDayRules, eitherDay }: Cron, date: Date): boolean {
  const byDate = monthDays.has(date.getUTCDate()) || monthDayRules.some((rule) => isRuledDay(rule, date));
  const byWeekDay = weekDays.has(date.getUTCDay()) || weekDayRules.some((rule) => isRuledDay(rule, date));
  return eitherDay ? byDate || byWeekDay : byDate && byWeekDay;
}
