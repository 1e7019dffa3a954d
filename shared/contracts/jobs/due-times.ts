import { z } from 'zod';
import { isLocalTime } from '../instants.ts';
import { zone } from '../schedules/recurrences.ts';

/** Ten years. */
export const longestDelaySeconds = 3660 * 86_400;

/** However long past: that is due at once. */
const dueTime = z.iso.datetime({ offset: true, error: 'has to be an RFC 3339 time such as 2026-12-01T09:00:00Z' });

/** When a job is to be called. */
export const dueFields = {
  dueAt: dueTime.optional().describe('RFC 3339 with an offset. What is past is due at once'),
  delaySeconds: z
    .number()
    .min(0)
    .max(longestDelaySeconds)
    .optional()
    .describe('Instead: from now, by the database’s clock'),
  localTime: z
    .string()
    .refine(isLocalTime, 'has to be a time without a zone, such as 2026-12-01T09:00:00')
    .optional()
    .describe('Instead: on the clocks of `zone`. Where they leap over it, at the first instant after it')
    .meta({ examples: ['2026-12-01T09:00:00'] }),
  zone: zone.optional().describe('IANA time zone of localTime, such as Asia/Singapore'),
};

type SaidTimes = { [Field in keyof typeof dueFields]?: unknown };

/** One of them, or none; a zone stands beside a local time alone. */
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

export function saysTime({ dueAt, delaySeconds, localTime }: SaidTimes): boolean {
  return (dueAt ?? delaySeconds ?? localTime) !== undefined;
}

/** Beside `saysTime`. */
export const needsTime = { path: ['dueAt'], error: 'is missing: say dueAt, delaySeconds, or localTime and zone' };

/** Where to a job is moved. */
export const newDue = z
  .strictObject(dueFields)
  .superRefine(checkTimes)
  .refine(saysTime, needsTime)
  .meta({ id: 'NewDue', examples: [{ dueAt: '2026-12-01T09:00:00+08:00' }] });

export type NewDue = z.output<typeof newDue>;
