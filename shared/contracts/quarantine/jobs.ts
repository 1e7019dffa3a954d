import { z } from 'zod';
import { maskedHeaders } from '../jobs/job-shapes.ts';
import { clientRef } from '../jobs/jobs.ts';
import { allItems, decisionShape, groupShape, itemShape, namesNothing, namesSome } from './items.ts';

const time = z.iso.datetime({ precision: 3 });

/** HTTP shape of a quarantined job: all its calls failed, or could not be made. A decision ends its quarantine. */
export const quarantinedJob = itemShape('job', ['kept'])
  .extend({
    id: z.string().describe('job_…, the id from the time before the quarantine'),
    clientId: z.string(),
    scheduledFor: time,
    expiresAt: time.nullable(),
    expired: z.boolean().describe('true: a replay needs `withExpired`'),
    attempts: z.int().describe('Calls made'),
    method: z.string(),
    url: z.string(),
    status: z.int().nullable().describe('Status of the last call; null if there was no answer'),
  })
  .meta({ id: 'QuarantinedJob' });

export type QuarantinedJobShape = z.output<typeof quarantinedJob>;

export const quarantinedJobDetail = quarantinedJob
  .extend({
    headers: maskedHeaders.nullable(),
    body: z.string().nullable(),
    withheld: z.boolean().describe('true: body and answer are not returned to a read-only key'),
    answer: z.string().nullable().describe('First 4 KB of the last answer, without secrets'),
    idempotencyKey: z.string().nullable(),
    tags: z.array(z.string()),
  })
  .meta({ id: 'QuarantinedJobDetail' });

export type QuarantinedJobDetail = z.output<typeof quarantinedJobDetail>;

export const quarantinedJobGroup = groupShape('job')
  .extend({ clientId: z.string() })
  .meta({ id: 'QuarantinedJobGroup' });

export type QuarantinedJobGroupShape = z.output<typeof quarantinedJobGroup>;

export const jobDecision = decisionShape('job', ['replayed', 'discarded']).meta({ id: 'JobDecision' });

const withExpired = z
  .boolean()
  .default(false)
  .describe('true: also replays expired jobs, which then never expire again');

export const jobReplay = z.strictObject({ withExpired }).meta({ id: 'JobReplay', examples: [{ withExpired: true }] });

const selection = {
  client: clientRef.optional().describe('All jobs of this client'),
  reason: z.string().min(1).max(500).optional().describe('All jobs with this reason, as in the list'),
  all: allItems,
};

const rule = namesNothing(...Object.keys(selection));
const namesJobs = ({ client, reason, all }: { client?: unknown; reason?: unknown; all?: unknown }) =>
  namesSome({ client, reason, all });

export const jobSelection = z
  .strictObject(selection)
  .refine(namesJobs, rule.refusal)
  .meta({ ...rule.meta, id: 'JobSelection', examples: [{ client: 'shop', reason: 'status 410' }] });

export const jobReplays = z
  .strictObject({
    ...selection,
    perSecond: z.number().min(0.1).max(100_000).optional().describe('Jobs due per second. Default: all at once'),
    withExpired,
  })
  .refine(namesJobs, rule.refusal)
  .meta({ ...rule.meta, id: 'JobReplays', examples: [{ client: 'shop', perSecond: 10 }] });
