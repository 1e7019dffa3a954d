import { z } from 'zod';
import { readCron } from '../../domain/recurrence/cron.ts';
import { misfirePolicies, overlapPolicies, type RecurrencePolicies } from '../../domain/recurrence/policies.ts';
import type { Recurrence } from '../../domain/recurrence/recurrence.ts';
import { dayOffPolicies, type DaysOff, type WorkCalendars } from '../../domain/recurrence/work-calendars.ts';
import { instant, instantToRecurFrom } from '../instants.ts';
import { zone } from '../zones.ts';
import { workCalendarName } from './work-calendars.ts';
import { forbids, notExactlyOne, refusals, together } from '../stated-rules.ts';

const cron = z
  .string()
  .max(200)
  .superRefine((expression, context) => {
    const read = readCron(expression);
    if (!read.ok)
      context.addIssue({ code: 'custom', message: read.detail, input: expression, params: { code: 'invalid-cron' } });
  })
  .meta(refusals({ 'invalid-cron': 'a cron expression cannot be read, or names no time that exists' }));

const daySeconds = 86_400;

export const recurrenceFields = {
  cron: cron
    .describe(
      'Cron expression in local time of the zone: minute, hour, day of month, month, day of week; also L, W, # and @daily',
    )
    .meta({ examples: ['0 9 * * MON-FRI'] })
    .optional(),
  everySeconds: z
    .int()
    .min(1)
    .max(366 * daySeconds)
    .optional()
    .describe('Alternative to cron: an interval in seconds, counted from `from` regardless of clock changes'),
  zone: zone.default('UTC'),
  workCalendar: workCalendarName
    .optional()
    .describe('Work calendar whose days off apply, in the zone')
    .meta(
      refusals({
        'unknown-work-calendar': 'a work calendar does not exist',
        'never-fires': 'the recurrence has no instant that may fire',
      }),
    ),
  onDayOff: z
    .enum(dayOffPolicies)
    .optional()
    .describe(
      'skip (default): does not fire on a day off. before, after: fires at the same time on the nearest working day, once with an occurrence there',
    ),
  from: instantToRecurFrom.optional().describe('Time before which nothing fires. Default: the creation time'),
  until: instant.optional().describe('Time after which nothing fires'),
  misfire: z
    .enum(misfirePolicies)
    .default('fire-once')
    .describe('After missed instants: fire once for all of them, fire each of them late, or skip them'),
  catchUpSeconds: z
    .int()
    .min(0)
    .max(366 * daySeconds)
    .default(3600)
    .describe('Seconds after which a missed instant no longer fires'),
  overlap: z
    .enum(overlapPolicies)
    .default('allow')
    .describe('If the previous fire is still active: skip, wait until it has ended, or fire at once'),
  spreadSeconds: z
    .int()
    .min(0)
    .max(daySeconds)
    .default(0)
    .describe(
      'Spreads fires: each schedule and group fires at its own fixed moment within this many seconds after the instant',
    ),
};

export const recurrenceShape = z.object(recurrenceFields);

export type RecurrenceDefinition = z.output<typeof recurrenceShape>;

export const recurrenceRules = {
  ...forbids(...notExactlyOne('cron', 'everySeconds'), together('workCalendar', 'everySeconds')),
  dependentRequired: { onDayOff: ['workCalendar'] },
  ...refusals({ 'invalid-span': '`until` lies before `from`' }),
};

export function checkRecurrence(
  definition: Pick<RecurrenceDefinition, 'cron' | 'everySeconds' | 'from' | 'until' | 'workCalendar' | 'onDayOff'>,
  context: z.RefinementCtx,
): void {
  const { cron: expression, everySeconds, from, until, workCalendar, onDayOff } = definition;
  if ((expression === undefined) === (everySeconds === undefined)) {
    const message =
      expression === undefined ? 'is missing: give cron or everySeconds' : 'is given together with cron: give only one';
    const path = [expression === undefined ? 'cron' : 'everySeconds'];
    context.addIssue({ code: 'custom', path, message, input: everySeconds });
  }
  if (workCalendar !== undefined && everySeconds !== undefined) {
    const message = 'requires cron: an interval does not depend on the day';
    context.addIssue({ code: 'custom', path: ['workCalendar'], message, input: workCalendar });
  }
  if (onDayOff !== undefined && workCalendar === undefined) {
    const message = 'is missing: onDayOff requires a work calendar';
    context.addIssue({ code: 'custom', path: ['workCalendar'], message, input: workCalendar });
  }
  if (from !== undefined && until !== undefined && Date.parse(until) < Date.parse(from)) {
    const message = `lies before from, ${from}`;
    context.addIssue({ code: 'custom', path: ['until'], message, input: until, params: { code: 'invalid-span' } });
  }
}

/** The work calendar of a schedule does not exist, or the schedule would never fire with it. */
export class WorkCalendarError extends Error {
  override readonly name = 'WorkCalendarError';
  readonly code: 'unknown-work-calendar' | 'never-fires';

  constructor(code: WorkCalendarError['code'], detail: string) {
    super(detail);
    this.code = code;
  }
}

/**
 * Returns the recurrence of a definition.
 * @param madeAtMs replaces an absent `from`
 * @param calendars work calendars that the definition may name; `everyDayWorks` if days off do not matter
 * @throws {WorkCalendarError} if the named calendar is not among `calendars`
 */
export function recurrenceOf(
  definition: RecurrenceDefinition,
  madeAtMs: number,
  calendars: WorkCalendars | typeof everyDayWorks,
): Recurrence {
  const bounds = {
    fromMs: definition.from === undefined ? madeAtMs : Date.parse(definition.from),
    untilMs: definition.until === undefined ? null : Date.parse(definition.until),
  };
  if (definition.everySeconds !== undefined) {
    return { ...bounds, kind: 'interval', everyMs: definition.everySeconds * 1000 };
  }
  const read = readCron(definition.cron ?? '');
  if (!read.ok) throw new Error(`a stored cron expression cannot be read: ${read.detail}`);
  const daysOff = calendars === everyDayWorks ? undefined : daysOffOf(definition, calendars);
  return { ...bounds, kind: 'cron', cron: read.cron, zone: definition.zone, ...(daysOff && { daysOff }) };
}

export function unknownWorkCalendar(name: string): WorkCalendarError {
  return new WorkCalendarError('unknown-work-calendar', `there is no work calendar ${JSON.stringify(name)}`);
}

export const everyDayWorks = 'every-day-works';

function daysOffOf({ workCalendar, onDayOff }: RecurrenceDefinition, calendars: WorkCalendars): DaysOff | undefined {
  if (workCalendar === undefined) return undefined;
  const calendar = calendars.get(workCalendar);
  if (!calendar) throw unknownWorkCalendar(workCalendar);
  return { calendar, policy: onDayOff ?? 'skip' };
}

export function policiesOf({ misfire, catchUpSeconds, overlap }: RecurrenceDefinition): RecurrencePolicies {
  return { misfire, catchUpMs: catchUpSeconds * 1000, overlap };
}
