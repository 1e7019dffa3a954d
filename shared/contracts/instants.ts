import { z } from 'zod';
import { refusals } from './stated-rules.ts';

const offset = String.raw`(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)`;
const timeOfDay = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?`;

/** RFC 3339 with days that exist. Seconds may be left out, and `t` and `z` may be small letters. */
export const instantPattern = new RegExp(`${z.core.regexes.date.source.slice(0, -1)}[Tt]${timeOfDay}${offset}$`);

/** A time with its offset, in any year. What is read from it has large letters, as `Date` needs them. */
export const anyInstant = z
  .string()
  .regex(instantPattern, { error: 'has to be an RFC 3339 time such as 2026-12-01T09:00:00Z', abort: true })
  .overwrite((text) => text.toUpperCase())
  .meta({ format: 'date-time' });

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
  return anyInstant
    .refine((text) => isWithin(new Date(text).getUTCFullYear(), year), {
      error: ({ input }) => `has to lie in a year from ${firstYear} to ${year}, not ${JSON.stringify(input)}`,
      params: { code: 'year-out-of-range' },
    })
    .meta({
      format: 'date-time',
      ...refusals({
        'year-out-of-range': 'a time lies in a year before 1000 or after 9999, or 9899 if something recurs from it',
      }),
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
