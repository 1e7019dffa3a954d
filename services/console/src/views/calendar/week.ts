import { instantOf, wallClock } from '../../parts/times/zoned-times.ts';

const dayMs = 86_400_000;

export interface Day {
  date: string;
  fromMs: number;
  untilMs: number;
}

/** Seven days from Monday on, each from midnight to midnight in a time zone. A day may have 23 or 25 hours. */
export interface Week {
  days: readonly Day[];
  fromMs: number;
  untilMs: number;
}

/** @param date any day of the week, `2026-11-25` */
export function weekOf(date: string, zone: string): Week {
  const day = Date.parse(`${date}T00:00:00Z`);
  const monday = day - ((new Date(day).getUTCDay() + 6) % 7) * dayMs;
  const dates = Array.from({ length: 8 }, (_, index) => new Date(monday + index * dayMs).toISOString().slice(0, 10));
  const midnights = dates.map((each) => Date.parse(instantOf(`${each}T00:00:00`, zone) ?? `${each}T00:00:00Z`));
  const days = dates
    .slice(0, 7)
    .map((each, index) => ({ date: each, fromMs: midnights[index] ?? 0, untilMs: midnights[index + 1] ?? 0 }));
  return { days, fromMs: midnights[0] ?? 0, untilMs: midnights[7] ?? 0 };
}

export function dateOf(atMs: number, zone: string): string {
  return wallClock(atMs, zone).slice(0, 10);
}

export function weeksFrom(date: string, weeks: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + weeks * 7 * dayMs).toISOString().slice(0, 10);
}

/** Describes a week: `23 to 29 November 2026`, `30 November to 6 December 2026`. */
export function formatWeek({ days }: Week): string {
  const parts = [days[0], days[6]].map((day) => {
    const [year = '', month = '', number = ''] = (day?.date ?? '').split('-');
    return { year, month: months[Number(month) - 1] ?? '', number: String(Number(number)) };
  });
  const [first, last] = parts;
  if (!first || !last) return '';
  const year = first.year === last.year ? '' : ` ${first.year}`;
  const month = first.month === last.month ? '' : ` ${first.month}${year}`;
  return `${first.number}${month} to ${last.number} ${last.month} ${last.year}`;
}

const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];

/** Returns the position of an instant within a week in percent, from 0 to 100. */
export function placeIn({ fromMs, untilMs }: Pick<Week, 'fromMs' | 'untilMs'>, atMs: number): number {
  return Math.min(100, Math.max(0, ((atMs - fromMs) / (untilMs - fromMs)) * 100));
}
