import { z } from 'zod';
import { anyInstant, isLocalTime } from '../instants.ts';
import { zone } from '../zones.ts';
import { forbids, localTimeText, refusals, several, withCode, without } from '../stated-rules.ts';

const noLocalTime = 'has to be a time without a zone, such as 2026-12-01T09:00:00';

/** Ten years, in seconds. */
export const longestDelaySeconds = 3660 * 86_400;

export const dueFields = {
  dueAt: anyInstant
    .optional()
    .describe('RFC 3339 with an offset. A past time means due at once')
    .meta(refusals({ 'out-of-range': 'a due time is more than ten years away' })),
  delaySeconds: z
    .number()
    .min(0)
    .max(longestDelaySeconds)
    .optional()
    .describe('Alternative to dueAt: seconds from now, by the database’s clock'),
  localTime: z
    .string()
    .regex(new RegExp(localTimeText.pattern), { error: noLocalTime, abort: true })
    .refine(isLocalTime, withCode('no-such-day', noLocalTime))
    .optional()
    .describe(
      'Alternative to dueAt: local time in `zone`. If the clocks skip this time, the first instant after the gap',
    )
    .meta({ ...localTimeText, examples: ['2026-12-01T09:00:00'] }),
  zone: zone.optional().describe('IANA time zone of localTime, such as Asia/Singapore'),
};

type RequestedTimes = { [Field in keyof typeof dueFields]?: unknown };

/**
 * Checks that at most one of the times is given, and that a zone is given only with a local time, and always with it.
 */
export function checkTimes(fields: RequestedTimes, context: z.core.$RefinementCtx): void {
  const [first, second] = (['dueAt', 'delaySeconds', 'localTime'] as const).filter(
    (field) => fields[field] !== undefined,
  );
  const issue = (field: string, message: string) =>
    context.addIssue({ code: 'custom', path: [field], message, input: fields });
  if (second !== undefined) issue(second, `is given together with ${first ?? ''}: give only one`);
  if (fields.localTime !== undefined && fields.zone === undefined) issue('zone', 'is missing: localTime requires it');
  if (fields.localTime === undefined && fields.zone !== undefined)
    issue('zone', 'requires localTime, which is missing');
}

export const times = ['dueAt', 'delaySeconds', 'localTime'] as const;

/** Rules of these fields for the OpenAPI document: at most one time; `zone` requires `localTime` and vice versa. */
export const timeRules = { dependentRequired: { localTime: ['zone'], zone: ['localTime'] } };
export const severalTimes = several(...times);
export const withoutTime = without(...times);

export function hasTime({ dueAt, delaySeconds, localTime }: RequestedTimes): boolean {
  return (dueAt ?? delaySeconds ?? localTime) !== undefined;
}

export const needsTime = { path: ['dueAt'], error: 'is missing: give dueAt, delaySeconds, or localTime and zone' };

export const newDue = z
  .strictObject(dueFields)
  .superRefine(checkTimes)
  .refine(hasTime, needsTime)
  .meta({
    ...timeRules,
    ...forbids(...severalTimes, withoutTime),
    id: 'NewDue',
    examples: [{ dueAt: '2026-12-01T09:00:00+08:00' }],
  });

export type NewDue = z.output<typeof newDue>;
