import { endpointName, jobPriority } from './call-terms.ts';
import { orderingFields } from './job-keys.ts';
import { z } from 'zod';
import { instant } from '../instants.ts';
import { checkTimes, dueFields, hasTime, severalTimes, timeRules, times, withoutTime } from './due-times.ts';
import { clientRef, jobTag, time } from './jobs.ts';
import { forbids, together } from '../stated-rules.ts';

export const jobChangeVerbs = ['cancel', 'reschedule'] as const;

export const newJobChange = z
  .strictObject({
    verb: z.enum(jobChangeVerbs),
    client: clientRef,
    state: z
      .enum(['pending', 'waiting', 'reporting', 'sidelined'])
      .default('pending')
      .describe('State of the jobs. Reporting jobs can be cancelled but not moved'),
    tag: jobTag.optional(),
    endpoint: endpointName.optional().describe('Jobs of this endpoint'),
    orderingKey: orderingFields.orderingKey.describe('Jobs with this ordering key'),
    priority: jobPriority.optional().describe('Jobs with this priority'),
    dueFrom: instant.optional().describe('Inclusive'),
    dueUntil: instant.optional().describe('Exclusive'),
    ...dueFields,
  })
  .superRefine(checkTimes)
  .refine((change) => (change.verb === 'reschedule') === hasTime(change), {
    path: ['dueAt'],
    error: 'is required for reschedule, unless delaySeconds or localTime and zone are given',
  })
  .meta({
    ...timeRules,
    ...forbids(...severalTimes),
    if: { properties: { verb: { const: 'reschedule' } } },
    then: forbids(withoutTime),
    else: forbids(...times.map((name) => together(name))),
    id: 'NewJobChange',
    examples: [{ verb: 'cancel', client: 'shop', tag: 'order-17' }],
  });

export const jobChange = z
  .object({
    id: z.string(),
    clientId: z.string(),
    verb: z.enum(jobChangeVerbs),
    state: z.enum(['running', 'done']),
    seen: z.int().describe('Matching jobs'),
    changed: z.int(),
    tooLate: z.int().describe('Jobs that were being called or had ended'),
    dueAt: time.nullable().describe('New due time'),
    createdAt: time,
    endedAt: time.nullable(),
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'JobChange' });

export type JobChangeShape = z.output<typeof jobChange>;
