import { z } from 'zod';
import { countryPattern } from '../../domain/endpoint/shard.ts';
import { overlapPolicies } from '../../domain/recurrence/policies.ts';
import { instantPattern, isLocalTime } from '../instants.ts';
import { checkRecurrence, recurrenceFields, recurrenceRules } from '../schedules/recurrences.ts';
import { zone } from '../zones.ts';
import { localTimeText, withCode } from '../stated-rules.ts';

const noLocalTime = 'has to be a time without a zone, such as 2026-12-01T09:00:00';

export const scheduleNow = z.strictObject({ type: z.literal('now') });

const startWithin = recurrenceFields.catchUpSeconds
  .unwrap()
  .optional()
  .describe('A start that is later than this does not happen: its run expires before any user is called');

export const scheduleAt = z.strictObject({
  type: z.literal('at'),
  time: z
    .string()
    .describe('RFC 3339 with an offset, or a local time together with `zone`')
    // For the OpenAPI document only: the parser describes errors in times more clearly than a pattern could.
    .meta({
      pattern: `${localTimeText.pattern}|${instantPattern.source}`,
      examples: ['2027-01-15T09:00:00', '2027-01-15T09:00:00+08:00'],
    }),
  zone: z
    .string()
    .describe('IANA time zone of a local time, such as Asia/Singapore')
    .meta({ pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$', examples: ['Asia/Singapore'] })
    .optional(),
  catchUpSeconds: startWithin,
});

export const scheduleLocal = z.strictObject({
  type: z.literal('local'),
  time: z
    .string()
    .regex(new RegExp(localTimeText.pattern), { error: noLocalTime, abort: true })
    .refine(isLocalTime, withCode('no-such-day', noLocalTime))
    .describe('Local time of each country: one run, in which each country begins at this time by its own clocks')
    .meta({ ...localTimeText, examples: ['2027-01-15T09:00:00'] }),
  zones: z
    .record(z.string().regex(countryPattern, 'has to be the code of a country'), zone)
    .optional()
    .describe('IANA time zones by country; required for countries with several time zones'),
  catchUpSeconds: startWithin,
});

export const scheduleRecurring = z
  .strictObject({
    type: z.literal('recurring'),
    ...recurrenceFields,
    overlap: z
      .enum(overlapPolicies)
      .default('skip')
      .describe(
        'If the previous run is in progress: skip this run, start it when the previous run has ended, or run both',
      ),
  })
  .superRefine(checkRecurrence)
  .meta(recurrenceRules);

export const schedule = z.discriminatedUnion('type', [scheduleNow, scheduleAt, scheduleLocal, scheduleRecurring]);
