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
    .describe('RFC 3339 with an offset. What is past is due at once')
    .meta(refusals({ 'out-of-range': 'a due time is more than ten years away' })),
  delaySeconds: z
    .number()
    .min(0)
    .max(longestDelaySeconds)
    .optional()
    .describe('Instead: from now, by the database’s clock'),
  localTime: z
    .string()
    .regex(new RegExp(localTimeText.pattern), { error: noLocalTime, abort: true })
    .refine(isLocalTime, withCode('no-such-day', noLocalTime))
    .optional()
    .describe('Instead: on the clocks of `zone`. Where they leap over it, at the first instant after it')
    .meta({ ...localTimeText, examples: ['2026-12-01T09:00:00'] }),
  zone: zone.optional().describe('IANA time zone of localTime, such as Asia/Singapore'),
};

type SaidTimes = { [Field in keyof typeof dueFields]?: unknown };

/** Checks that at most one of the times is given, and a zone exactly if the time is local. */
export function checkTimes(said: SaidTimes, context: z.core.$RefinementCtx): void {
  const [first, second] = (['dueAt', 'delaySeconds', 'localTime'] as const).filter(
    (field) => said[field] !== undefined,
  );
  const issue = (field: string, message: string) =>
    context.addIssue({ code: 'custom', path: [field], message, input: said });
  if (second !== undefined) issue(second, `is given beside ${first ?? ''}: say one of them`);
  if (said.localTime !== undefined && said.zone === undefined) issue('zone', 'is missing: localTime needs it');
  if (said.localTime === undefined && said.zone !== undefined) issue('zone', 'is for localTime, which is missing');
}

export const times = ['dueAt', 'delaySeconds', 'localTime'] as const;

/** Rules of these fields for the OpenAPI document: at most one time; `zone` requires `localTime` and vice versa. */
export const timeRules = { dependentRequired: { localTime: ['zone'], zone: ['localTime'] } };
export const severalTimes = several(...times);
export const withoutTime = without(...times);

export function saysTime({ dueAt, delaySeconds, localTime }: SaidTimes): boolean {
  return (dueAt ?? delaySeconds ?? localTime) !== undefined;
}

export const needsTime = { path: ['dueAt'], error: 'is missing: say dueAt, delaySeconds, or localTime and zone' };

export const newDue = z
  .strictObject(dueFields)
  .superRefine(checkTimes)
  .refine(saysTime, needsTime)
  .meta({
    ...timeRules,
    ...forbids(...severalTimes, withoutTime),
    id: 'NewDue',
    examples: [{ dueAt: '2026-12-01T09:00:00+08:00' }],
  });

export type NewDue = z.output<typeof newDue>;
