import { z } from 'zod';
import { instant } from '../instants.ts';
import { cancelAnswers, clientRef, dueFields, jobKey, jobTag, oneTime, saysOneTime, time } from './jobs.ts';

/** HTTP shapes of changes of many jobs at once. */
export const jobChangeVerbs = ['cancel', 'reschedule'] as const;

/** One request for all jobs of a client that fit. */
export const newJobChange = z
  .strictObject({
    verb: z.enum(jobChangeVerbs),
    client: clientRef,
    state: z.enum(['pending', 'sidelined']).default('pending'),
    tag: jobTag.optional(),
    dueFrom: instant.optional().describe('Inclusive'),
    dueUntil: instant.optional().describe('Exclusive'),
    ...dueFields,
  })
  .refine(saysOneTime, oneTime)
  .refine(({ verb, dueAt, delaySeconds }) => (verb === 'reschedule') === ((dueAt ?? delaySeconds) !== undefined), {
    path: ['dueAt'],
    error: 'is for reschedule, which needs it or delaySeconds',
  })
  .meta({ id: 'NewJobChange', examples: [{ verb: 'cancel', client: 'shop', tag: 'order-17' }] });

/** Jobs of a client by the keys that they were accepted with. */
export const jobsToCancel = z
  .strictObject({ client: clientRef, idempotencyKeys: z.array(jobKey).min(1).max(5000) })
  .meta({ id: 'JobsToCancel', examples: [{ client: 'shop', idempotencyKeys: ['order-17'] }] });

export const cancelledJobs = z
  .object({
    cancelled: z.int(),
    results: z
      .array(
        z.object({
          idempotencyKey: z.string(),
          id: z.string(),
          result: z.enum([...cancelAnswers, 'not-found']),
        }),
      )
      .describe('In the order of the keys'),
  })
  .meta({ id: 'CancelledJobs' });

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
