import { z } from 'zod';
import { selectGroups, type RegisteredGroup } from '../../domain/recurrence/groups.ts';
import {
  decisionKey,
  planOccurrences,
  type OccurrencePlan,
  type PlannedOccurrence,
} from '../../domain/recurrence/plan-occurrences.ts';
import type { SkipCause } from '../../domain/recurrence/policies.ts';
import type { WorkCalendars } from '../../domain/recurrence/work-calendars.ts';
import { endpointName, jobPriority } from '../jobs/call-terms.ts';
import { jobLimits, jobMethods } from '../jobs/jobs.ts';
import { storedHeaders } from '../jobs/stored-calls.ts';
import { checkRecurrence, policiesOf, recurrenceFields, recurrenceOf, recurrenceShape } from './recurrences.ts';

/** Stored callback of a schedule. The API validates its fields in the request. */
const keptCall = z.object({
  endpoint: z.object({ id: z.uuid(), name: endpointName }).optional(),
  url: z.string(),
  method: z.enum(jobMethods),
  /** JSON in the form of `storedHeaders`. */
  headers: z.string().refine(isHeaders, 'has to be a JSON object of texts').nullable(),
  body: z.string().nullable(),
  /** Form in which placeholders in the body and in headers are filled. Undefined if the call is no template. */
  template: z.enum(['json', 'text']).optional(),
  relevancySeconds: z.int().min(1).max(jobLimits.relevancySeconds).nullable(),
  tags: z.array(z.string()),
  /** Priority of the jobs; undefined means normal priority. */
  priority: jobPriority.exclude(['normal']).optional(),
});

function isHeaders(text: string): boolean {
  try {
    return storedHeaders.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

export const groupSelection = z.union([
  z.strictObject({ names: z.array(z.string()) }),
  z.strictObject({ tags: z.array(z.string()) }),
]);

export const keptSchedule = z.object({
  recurrence: recurrenceShape.superRefine(checkRecurrence),
  groups: groupSelection.optional(),
  /** Call of a callback schedule. Undefined for a campaign schedule: the campaign defines its own actions. */
  call: keptCall.optional(),
});

export type KeptSchedule = z.output<typeof keptSchedule>;
export type KeptCall = z.output<typeof keptCall>;

export type ReadSchedule = { kept: KeptSchedule; unreadable: null } | { kept: null; unreadable: UnreadableSchedule };

export interface UnreadableSchedule {
  cause: string;
  stored: unknown;
  /** Invalid fields, such as `recurrence.zone`. */
  places: readonly string[];
}

export interface BrokenSchedule {
  scheduleId: string;
  cause: string;
}

/**
 * Reads a stored definition. Never throws: another version may have written the definition, or its zone may be missing
 * in the zone database of this process.
 */
export function readSchedule(stored: unknown): ReadSchedule {
  const read = keptSchedule.safeParse(stored);
  if (read.success) return { kept: read.data, unreadable: null };
  const { issues } = read.error;
  const causes = issues.map(({ path, message }) => `${path.join('.') || 'the definition'}: ${message}`);
  const cause = causes.join('; ').slice(0, maxCauseLength);
  return { kept: null, unreadable: { cause, stored, places: issues.map(({ path }) => path.join('.')) } };
}

const maxCauseLength = 500;

const fields = z.record(z.string(), z.unknown());

function partOf(stored: unknown, name: keyof KeptSchedule): unknown {
  return fields.safeParse(stored).data?.[name];
}

/** Returns the readable fields of an unreadable definition; null for unreadable fields with a default. */
export function readableRecurrence(stored: unknown) {
  const recurrence = fields.safeParse(partOf(stored, 'recurrence')).data ?? {};
  const { cron, everySeconds, zone, from, until, misfire, catchUpSeconds, overlap, spreadSeconds } = recurrenceFields;
  const { workCalendar, onDayOff } = recurrenceFields;
  return {
    cron: cron.safeParse(recurrence['cron']).data,
    everySeconds: everySeconds.safeParse(recurrence['everySeconds']).data,
    workCalendar: workCalendar.safeParse(recurrence['workCalendar']).data,
    onDayOff: onDayOff.safeParse(recurrence['onDayOff']).data,
    from: from.safeParse(recurrence['from']).data,
    until: until.safeParse(recurrence['until']).data,
    zone: zone.unwrap().safeParse(recurrence['zone']).data ?? null,
    misfire: misfire.unwrap().safeParse(recurrence['misfire']).data ?? null,
    catchUpSeconds: catchUpSeconds.unwrap().safeParse(recurrence['catchUpSeconds']).data ?? null,
    overlap: overlap.unwrap().safeParse(recurrence['overlap']).data ?? null,
    spreadSeconds: spreadSeconds.unwrap().safeParse(recurrence['spreadSeconds']).data ?? null,
  };
}

export function readableGroups(stored: unknown): z.output<typeof groupSelection> | undefined {
  return groupSelection.safeParse(partOf(stored, 'groups')).data;
}

export function readableCall(stored: unknown): KeptCall | undefined {
  return keptCall.safeParse(partOf(stored, 'call')).data;
}

export interface PlannableSchedule {
  definition: KeptSchedule;
  createdAtMs: number;
  highWaterMs: number;
  silence: { untilMs: number; cause: SkipCause } | null;
}

export interface PlanningView {
  nowMs: number;
  /** Region whose schedules are considered; null means all regions. */
  region: string | null;
  registered: readonly RegisteredGroup[];
  calendars: WorkCalendars;
  /** Occurrences of the schedule that are still running or buffered. */
  open: readonly { group: string; isBuffered: boolean }[];
  decided: readonly PlannedOccurrence[];
}

/** Maximum number of instants examined in one transaction: some ten milliseconds of work. */
const maxInstants = 20_000;
/** Maximum number of occurrences of one schedule in one transaction. A hundred schedules may share a transaction. */
const maxOccurrences = 200;

export function planSchedule(schedule: PlannableSchedule, view: PlanningView): OccurrencePlan {
  const { definition, createdAtMs, highWaterMs, silence } = schedule;
  const { nowMs, region, registered, calendars, open, decided } = view;
  const buffered = new Set(open.filter(({ isBuffered }) => isBuffered).map(({ group }) => group));
  const running = new Set(open.filter(({ isBuffered }) => !isBuffered).map(({ group }) => group));
  return planOccurrences({
    recurrence: recurrenceOf(definition.recurrence, createdAtMs, calendars),
    policies: policiesOf(definition.recurrence),
    highWaterMs,
    nowMs,
    silence,
    region,
    maxInstants,
    maxOccurrences,
    groups: selectGroups(definition.groups, registered).map((group) => ({
      ...group,
      isRunning: running.has(group.name),
      isBuffered: buffered.has(group.name),
    })),
    decided: new Set(decided.map(({ atMs, group }) => decisionKey(atMs, group))),
  });
}
