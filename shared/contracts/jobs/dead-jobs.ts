import { z } from 'zod';
import { shownHeaders } from './shown-jobs.ts';
import { clientRef } from './jobs.ts';
import { forbids, without } from '../stated-rules.ts';

const time = z.iso.datetime({ precision: 3 });

/** HTTP shapes of jobs that were given up. */
export const deadJobShape = z
  .object({
    id: z.string().describe('job_…, as ever'),
    clientId: z.string(),
    cause: z.string().describe('Why it was given up'),
    diedAt: time,
    scheduledFor: time,
    expiresAt: time.nullable(),
    expired: z.boolean().describe('true: a replay has to ask for it expressly'),
    attempts: z.int().describe('Calls that were made'),
    method: z.string(),
    url: z.string(),
    status: z.int().nullable().describe('Of the last call; null where nothing was answered'),
  })
  .meta({ id: 'DeadJob' });

export type DeadJobShape = z.output<typeof deadJobShape>;

export const deadJobContent = deadJobShape
  .extend({
    headers: shownHeaders.nullable(),
    body: z.string().nullable(),
    withheld: z.boolean().describe('true: body and answer are not shown to a key that only looks'),
    answer: z.string().nullable().describe('The first 4 KB of the last answer, without secrets'),
    idempotencyKey: z.string().nullable(),
    tags: z.array(z.string()),
  })
  .meta({ id: 'DeadJobContent' });

export type DeadJobContentShape = z.output<typeof deadJobContent>;

export const deadJobGroup = z
  .object({ clientId: z.string(), cause: z.string(), jobs: z.int(), firstAt: time, lastAt: time })
  .meta({ id: 'DeadJobGroup' });

export type DeadJobGroupShape = z.output<typeof deadJobGroup>;

const withExpired = z
  .boolean()
  .default(false)
  .describe('Also what has expired; it is called whenever that is, and never expires again');

export const replayOne = z
  .strictObject({ withExpired })
  .meta({ id: 'ReplayDeadJob', examples: [{ withExpired: true }] });

const selection = {
  client: clientRef.optional().describe('All of this client'),
  cause: z.string().min(1).max(500).optional().describe('All for this cause, as it is listed'),
  all: z.literal(true).optional().describe('All there are, where neither is given'),
};

const namesSome = (given: { client?: unknown; cause?: unknown; all?: unknown }) =>
  given.client !== undefined || given.cause !== undefined || given.all === true;
const namesNothing = { error: 'names nothing: say client, cause, or all' };

export const replayMany = z
  .strictObject({
    ...selection,
    perSecond: z.number().min(0.1).max(100_000).optional().describe('Due so many a second; all at once unless given'),
    withExpired,
  })
  .refine(namesSome, namesNothing)
  .meta({
    ...forbids(without(...Object.keys(selection))),
    id: 'ReplayDeadJobs',
    examples: [{ client: 'shop', perSecond: 10 }],
  });

export const replayedJobs = z
  .object({
    jobs: z.int().describe('How many are jobs again'),
    expired: z.int().describe('How many were left alone, as they have expired'),
  })
  .meta({ id: 'ReplayedJobs' });

export const discardMany = z
  .strictObject(selection)
  .refine(namesSome, namesNothing)
  .meta({
    ...forbids(without(...Object.keys(selection))),
    id: 'DiscardDeadJobs',
    examples: [{ client: 'shop', cause: 'status 410' }],
  });

export const discardedJobs = z
  .object({ jobs: z.int().describe('How many are dead jobs no longer') })
  .meta({ id: 'DiscardedJobs' });
