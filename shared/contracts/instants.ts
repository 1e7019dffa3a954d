import { z } from 'zod';

/** Written with more or fewer digits, a year is read otherwise by some of those that a time passes through. */
const firstYear = 1000;
const lastYear = 9999;
/** What recurs within so many years of a time can be written too: a certain day of a leap year takes 40. */
const yearsToRecur = 100;

/** A time as people and other services say it. */
export const instant = instantUntil(lastYear);

/** From which on something recurs. */
export const instantToRecurFrom = instantUntil(lastYear - yearsToRecur);

function instantUntil(year: number) {
  return z.iso
    .datetime({ offset: true, error: 'has to be an RFC 3339 time such as 2026-12-01T09:00:00Z' })
    .refine((text) => isWithin(new Date(text).getUTCFullYear(), year), {
      error: ({ input }) => `has to lie in a year from ${firstYear} to ${year}, not ${JSON.stringify(input)}`,
    });
}

/** Of a text that is no time, which is refused as such, too. */
function isWithin(year: number, last: number): boolean {
  return Number.isNaN(year) || (year >= firstYear && year <= last);
}

/** Whole days and times of day that there are. */
export function isLocalTime(text: string): boolean {
  const parsed = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
  return !Number.isNaN(parsed) && new Date(parsed).toISOString().startsWith(text);
}
