import { z } from 'zod';
import { skipCauses } from '../../domain/recurrence/policies.ts';
import { scheduleStates } from '../../domain/recurrence/schedule-states.ts';
import { forbids } from '../stated-rules.ts';
import { instant, instantToRecurFrom } from '../instants.ts';
import { maskedHeaders } from '../jobs/job-shapes.ts';
import { checkTarget, newJob, withoutTarget } from '../jobs/jobs.ts';
import { checkRecurrence, recurrenceFields, recurrenceRules } from './recurrences.ts';
import { nameShape, textShape } from '../stored-texts.ts';

/** HTTP shapes of schedules and of the groups that they recur for. */

export const groupName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'has to be 1 to 63 letters, digits and . _ -, such as SG');

const groupTag = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:/=-]{0,62}$/, 'has to be 1 to 63 letters, digits and . _ : / = -');

const groupNames = z.array(groupName).min(1).max(500);

const groups = z
  .union([z.strictObject({ names: groupNames }), z.strictObject({ tags: z.array(groupTag).min(1).max(16) })], {
    error: 'has to be a list or a query: {"names": ["SG", "ID"]} or {"tags": ["rides"]}',
  })
  .describe(
    'Fires once for each of these groups, read at each fire: registered groups with one of the names, or all with these tags',
  );

const { client, endpoint, url, method, headers, template, body, relevancySeconds, tags, priority } = newJob.shape;

const targetFields = z.strictObject({
  client,
  endpoint,
  url,
  method,
  headers,
  template,
  body,
  relevancySeconds,
  tags,
  priority,
});

const target = targetFields
  .superRefine(checkTarget)
  .meta(forbids(withoutTarget))
  .describe('Callback of each fire, created as a job of the client');

const name = nameShape(200);
const note = textShape(2000);

const scheduleFields = { name, target, ...recurrenceFields, groups: groups.optional(), note: note.optional() };

export const newSchedule = z
  .strictObject(scheduleFields)
  .superRefine(checkRecurrence)
  .meta({
    ...recurrenceRules,
    id: 'NewSchedule',
    examples: [
      {
        name: 'Close the day',
        target: { client: 'shop', url: 'https://shop.example.com/close' },
        cron: '0 22 * * *',
        zone: 'Asia/Singapore',
      },
    ],
  });

export type NewScheduleBody = z.output<typeof newSchedule>;

/** Changes to a schedule, at any depth; null resets a field to its default (JSON merge patch). */
export const schedulePatch = z
  .strictObject(
    Object.fromEntries(Object.entries(scheduleFields).map(([field, shape]) => [field, z.nullable(shape).optional()])),
  )
  .meta({ id: 'SchedulePatch', examples: [{ cron: '30 22 * * *' }] });

const time = z.iso.datetime({ precision: 3 });

function orUnreadable<Shape extends z.ZodType>(shape: z.ZodDefault<Shape>) {
  return shape
    .unwrap()
    .nullable()
    .describe(`${shape.description ?? 'Time zone'}; null if it cannot be read`);
}

export const scheduleShape = z
  .object({
    id: z.string(),
    revision: z.int().min(1).describe('Increases with every change; the ETag'),
    state: z
      .enum(scheduleStates)
      .describe('broken: the schedule cannot be read or planned, and does not fire until it can'),
    stateReason: z.string().nullable().describe('Reason as given; for a broken schedule, the cause'),
    stateSince: time,
    ...scheduleFields,
    target: targetFields
      .extend({ url: z.string(), body: z.string().nullable(), headers: maskedHeaders })
      .nullable()
      .describe('null for the schedule of a campaign'),
    withheld: z.boolean().describe('true: the body is not returned to a read-only key'),
    zone: orUnreadable(recurrenceFields.zone),
    misfire: orUnreadable(recurrenceFields.misfire),
    catchUpSeconds: orUnreadable(recurrenceFields.catchUpSeconds),
    overlap: orUnreadable(recurrenceFields.overlap),
    spreadSeconds: orUnreadable(recurrenceFields.spreadSeconds),
    unreadable: z
      .object({
        cause: z.string(),
        stored: z.unknown().describe('Stored content, without headers and hidden fields'),
      })
      .nullable()
      .describe('Reason why it cannot be read; null if it can. Unreadable fields are null or absent'),
    campaignId: z.string().nullable(),
    groups: groups.nullable(),
    note: note.nullable(),
    nextAt: time.nullable().describe('Next instant; null if there is none or while the schedule does not fire'),
    decidedUntil: time.describe('All instants up to this time have fired or were skipped, for each group'),
    createdAt: time,
    updatedAt: time,
    links: z.object({ self: z.string(), occurrences: z.string(), preview: z.string() }),
  })
  .meta({ id: 'Schedule' });

export type ScheduleShape = z.output<typeof scheduleShape>;

const count = z.coerce.number().int().min(1).max(1000).default(10);
const after = instantToRecurFrom.optional();
const before = instant.optional().describe('Exclusive. Default: no limit');

export const previewQuery = z.strictObject({
  count,
  after: after.describe('Exclusive; may be past. Default: now'),
  before,
});

export const previewBody = z
  .strictObject({ ...recurrenceFields, count: z.int().min(1).max(1000).default(10), after, before })
  .superRefine(checkRecurrence)
  .meta({
    ...recurrenceRules,
    id: 'PreviewRequest',
    examples: [{ cron: '0 9 * * MON-FRI', zone: 'Asia/Singapore', count: 5 }],
  });

export const previewShape = z
  .object({
    zone: z.string(),
    lookedUntil: time
      .nullable()
      .describe('End of the search, twenty years ahead, if it found fewer fires than requested; otherwise null'),
    fires: z.array(
      z.object({
        at: time.nullable().describe('null if nothing fires'),
        localTime: z.string().nullable().describe('Intended local time in the zone; null for intervals'),
        mark: z
          .enum(['shifted', 'repeated', 'skipped', 'day-off'])
          .nullable()
          .describe(
            'shifted: the local time does not exist, and the schedule fires after the gap. repeated: the local time occurs twice. skipped: it does not exist, and nothing fires. day-off: nothing fires on this day of the work calendar',
          ),
        instants: z.int().describe('Number of consecutive instants that were skipped together'),
        why: z.string().optional().describe('Name of the day off, or its weekday'),
        movedFrom: z
          .array(z.object({ localTime: z.string(), why: z.string() }))
          .optional()
          .describe('Instants moved here from days off'),
      }),
    ),
  })
  .meta({ id: 'SchedulePreview' });

export type PreviewShape = z.output<typeof previewShape>;

export const fireRequest = z.strictObject({
  groups: groupNames.optional().describe('Groups to fire for. Default: all groups of the schedule'),
});

export const backfillRequest = z
  .strictObject({
    from: instantToRecurFrom,
    until: instant.describe('Inclusive range; future instants do not fire'),
    groups: groupNames.optional(),
  })
  .meta({ id: 'BackfillRequest', examples: [{ from: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' }] });

export const occurrenceStates = ['fired', 'buffered', 'skipped'] as const;

export const occurrenceShape = z
  .object({
    scheduledFor: time.describe('Instant of the occurrence, or the first of several'),
    lastInstant: time,
    instants: z.int(),
    group: z.string().nullable(),
    state: z.enum(occurrenceStates).describe('buffered: it fires when the previous one has ended'),
    kind: z.enum(['planned', 'manual', 'backfill']).nullable(),
    cause: z.enum(skipCauses).nullable().describe('Reason why it was skipped'),
    jobId: z.string().nullable(),
    runId: z.string().nullable(),
    dueAt: time.nullable().describe('The instant plus its spread'),
    region: z.string().nullable().describe('Region of the node that fired it'),
    decidedAt: time,
  })
  .meta({ id: 'Occurrence' });

export type OccurrenceShape = z.output<typeof occurrenceShape>;

export const firedShape = z
  .object({
    fired: z.array(occurrenceShape),
    alreadyFired: z.int().describe('Instants of the request that had already fired and do not fire again'),
  })
  .meta({ id: 'FiredOccurrences' });

const groupFields = {
  homeRegion: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/, 'has to be 1 to 32 lowercase letters, digits and -, beginning with a letter')
    .nullable()
    .default(null)
    .describe('Region whose nodes fire for the group without delay; null: any region'),
  fallbackSeconds: z
    .int()
    .min(1)
    .max(86_400)
    .default(60)
    .describe('Seconds after which nodes of other regions fire for it'),
  tags: z.array(groupTag).max(50).default([]),
  countries: z
    .array(z.string().regex(/^[A-Z]{2}$/, 'has to be an ISO 3166-1 alpha-2 code in capitals, such as SG'))
    .max(250)
    .default([]),
};

export const groupDefinition = z
  .strictObject(groupFields)
  .meta({ id: 'GroupDefinition', examples: [{ tags: ['rides'], countries: ['SG'] }] });

export const groupShape = z
  .object({
    name: groupName,
    revision: z.int().min(1),
    ...groupFields,
    createdAt: time,
    updatedAt: time,
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'Group' });

export type GroupShape = z.output<typeof groupShape>;
