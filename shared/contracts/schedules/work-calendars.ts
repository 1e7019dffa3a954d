import { z } from 'zod';
import { longestRowOff, mostDaysOffInARow, type WorkCalendar } from '../../domain/recurrence/work-calendars.ts';
import { refusals } from '../stated-rules.ts';
import { nameShape } from '../stored-texts.ts';

export const workCalendarName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'has to be 1 to 63 letters, digits and . _ -, such as SG');

export const mostWorkCalendars = 200;
const mostDates = 2000;
const [firstYear, lastYear] = [1970, 2199];

const weekDays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] as const;

/** Every valid day of the years 1970 to 2199, for the OpenAPI document. */
const dayPattern = String.raw`^(?:(?:19[789]\d|20\d\d|21\d\d)-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))|(?:19[789]\d|20\d\d|21\d\d)-02-29)$`;

const date = z.iso
  .date('has to be a date such as 2026-12-25')
  .refine((text) => Number(text.slice(0, 4)) >= firstYear && Number(text.slice(0, 4)) <= lastYear, {
    error: `has to lie in a year from ${firstYear} to ${lastYear}`,
  })
  .meta({ pattern: dayPattern });

const dateOff = z.strictObject({
  date,
  name: nameShape(100).optional().describe('Such as Christmas Day'),
});

const fields = {
  weekDaysOff: z
    .array(z.enum(weekDays))
    .max(6)
    .refine((days) => new Set(days).size === days.length, 'names a day twice')
    .meta({ uniqueItems: true })
    .default([])
    .describe('Days off of every week'),
  dates: z.array(dateOff).max(mostDates).default([]).describe('Further days off, as single dates'),
};

export const workCalendarDefinition = z
  .strictObject(fields)
  .superRefine((definition, context) => {
    const seen = new Set<string>();
    for (const [place, each] of definition.dates.entries()) {
      if (seen.has(each.date)) {
        context.addIssue({
          code: 'custom',
          path: ['dates', place, 'date'],
          message: 'is given twice',
          input: each.date,
          params: { code: 'repeated-day' },
        });
      }
      seen.add(each.date);
    }
    const days = longestRowOff(workCalendarOf(definition));
    if (days <= mostDaysOffInARow) return;
    const message = `leaves no working day for more than ${mostDaysOffInARow} days in a row`;
    context.addIssue({
      code: 'custom',
      path: ['dates'],
      message,
      input: definition.dates.length,
      params: { code: 'too-few-working-days' },
    });
  })
  .meta({
    ...refusals({
      'repeated-day': 'a date is given twice',
      'too-few-working-days': `no working day is left for more than ${mostDaysOffInARow} days in a row`,
    }),
    id: 'WorkCalendarDefinition',
    examples: [{ weekDaysOff: ['SAT', 'SUN'], dates: [{ date: '2026-12-25', name: 'Christmas Day' }] }],
  });

export type WorkCalendarDefinition = z.output<typeof workCalendarDefinition>;

export function workCalendarOf({ weekDaysOff, dates }: z.output<z.ZodObject<typeof fields>>): WorkCalendar {
  return {
    weekDaysOff: new Set(weekDaysOff.map((day) => weekDays.indexOf(day))),
    datesOff: new Map(dates.map(({ date: day, name = '' }) => [Date.parse(`${day}T00:00:00Z`), name])),
  };
}

const time = z.iso.datetime({ precision: 3 });

export const workCalendarShape = z
  .object({
    name: workCalendarName,
    revision: z.int().min(1),
    ...fields,
    schedules: z.int().describe('Number of schedules that use it'),
    createdAt: time,
    updatedAt: time,
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'WorkCalendar' });

export type WorkCalendarShape = z.output<typeof workCalendarShape>;

/** A calendar in a list. Its dates are omitted, because there may be thousands. */
export const workCalendarSummary = workCalendarShape
  .omit({ dates: true })
  .extend({ datesOff: z.int().describe('Number of dates') })
  .meta({ id: 'WorkCalendarSummary' });

export type WorkCalendarSummary = z.output<typeof workCalendarSummary>;
