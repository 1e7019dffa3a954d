import { endpointName, jobPriority } from './call-terms.ts';
import { orderingFields } from './job-keys.ts';
import { z } from 'zod';
import { instant } from '../instants.ts';
import { checkTimes, dueFields, saysTime, severalTimes, timeRules, times, withoutTime } from './due-times.ts';
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
      .describe('Those that are reporting can be cancelled, and are too late to be moved'),
    tag: jobTag.optional(),
    endpoint: endpointName.optional().describe('Those that are called through it'),
    orderingKey: orderingFields.orderingKey.describe('Those of this key'),
    priority: jobPriority.optional().describe('Those of this priority'),
    dueFrom: instant.optional().describe('Inclusive'),
    dueUntil: instant.optional().describe('Exclusive'),
    ...dueFields,
  })
  .superRefine(checkTimes)
  .refine((change) => (change.verb === 'reschedule') === saysTime(change), {
    path: ['dueAt'],
    error: 'is for reschedule, which needs it, delaySeconds, or localTime and zone',
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
    seen: z.int().describe('Jobs that fitted'),
    changed: z.int(),
    tooLate: z.int().describe('They were being called, or had ended'),
    dueAt: time.nullable().describe('Where to they are moved'),
    createdAt: time,
    endedAt: time.nullable(),
    links: z.object({ self: z.string() }),
  })
  .meta({ id: 'JobChange' });

export type JobChangeShape = z.output<typeof jobChange>;
