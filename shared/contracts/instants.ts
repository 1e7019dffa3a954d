import { z } from 'zod';
import { refusals } from './stated-rules.ts';

const offset = String.raw`(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)`;
const timeOfDay = String.raw`(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?`;

/** RFC 3339 times with valid days. Seconds are optional, and `t` and `z` may be in lower case. */
export const instantPattern = new RegExp(`${z.core.regexes.date.source.slice(0, -1)}[Tt]${timeOfDay}${offset}$`);

/** A time with its offset, in any year. Its output is in upper case, because `Date` requires that. */
export const anyInstant = z
  .string()
  .regex(instantPattern, { error: 'has to be an RFC 3339 time such as 2026-12-01T09:00:00Z', abort: true })
  .overwrite((text) => text.toUpperCase())
  .meta({ format: 'date-time' });

/** Only years with four digits are valid: some parsers and formats that handle a time read other years differently. */
const firstYear = 1000;
const lastYear = 9999;
/**
 * Years reserved for recurrences after a time, so that their instants can be written too: a given day of a leap year
 * takes up to 40 years.
 */
const yearsToRecur = 100;

export const instant = instantUntil(lastYear);

/** Start time of a recurrence. It leaves years for the instants that follow. */
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

/** Returns true also for a text that is no time, which another rule refuses. */
function isWithin(year: number, last: number): boolean {
  return Number.isNaN(year) || (year >= firstYear && year <= last);
}

export function isLocalTime(text: string): boolean {
  const parsed = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
  return !Number.isNaN(parsed) && new Date(parsed).toISOString().startsWith(text);
}
