import { z } from 'zod';
import { actionTypePattern, countryPattern } from '../../domain/endpoint/shard.ts';
import { isZone } from '../../domain/recurrence/zone-spans.ts';
import { zoneText } from '../zones.ts';
import { everyActionType } from '../../domain/run/quiet-hours.ts';
import { refusals, withCode } from '../stated-rules.ts';

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'has to be a time of the day, such as 21:00');

const ruleFields = {
  actionType: z
    .string()
    .refine((name) => name === everyActionType || actionTypePattern.test(name), 'has to be an action type, or *')
    .meta({ pattern: String.raw`^\*$|${actionTypePattern.source}` })
    .describe('Action type, or * for all'),
  countries: z
    .array(z.string().regex(countryPattern, 'has to be an ISO 3166-1 alpha-2 code in capitals, such as SG'))
    .min(1)
    .max(250)
    .optional()
    .describe('Absent: all of them'),
  from: timeOfDay.describe('Local time'),
  until: timeOfDay.describe('Local time, on the next day if it is not later than `from`'),
  zone: z
    .string()
    .max(100)
    .refine(isZone, withCode('unknown-zone', 'has to be an IANA time zone, such as Asia/Singapore'))
    .meta(zoneText)
    .optional()
    .describe(
      'Time zone. Absent: those of the country; if it has several, the hours apply while they hold in any of them',
    ),
  then: z
    .enum(['wait', 'drop'])
    .describe('wait: users are called when the hours end; drop: they end as suppressed, with muster.quiet-hours'),
};

/** A rule as read from storage: fields that only a newer version knows are ignored. */
export const keptQuietRule = z.object(ruleFields);

export const quietRule = z
  .strictObject(ruleFields)
  .refine(({ from, until }) => from !== until, {
    ...withCode('invalid-span', 'has to differ from from'),
    path: ['until'],
  })
  .meta({ ...refusals({ 'invalid-span': '`until` equals `from`' }), id: 'QuietRule' });

const rules = z.array(quietRule).max(100).describe('The first rule that matches a step and is active applies');

export const writtenQuietHours = z.strictObject({ rules }).meta({
  id: 'QuietHoursRules',
  examples: [{ rules: [{ actionType: 'send-message', from: '21:00', until: '08:00', then: 'wait' }] }],
});

export const quietHours = z
  .object({
    revision: z.int().min(0).describe('0: no quiet hours have ever been set'),
    rules,
    madeAt: z.iso.datetime({ precision: 3 }).nullable(),
  })
  .meta({ id: 'QuietHours' });
