import { z } from 'zod';
import { checkTimes, dueFields, needsTime, hasTime, severalTimes, timeRules, withoutTime } from './due-times.ts';
import { jobKey } from './job-keys.ts';
import { cancelAnswers, jobSummary } from './job-shapes.ts';
import { clientRef } from './jobs.ts';
import { forbids, notExactlyOne } from '../stated-rules.ts';

/** HTTP shapes of requests about many named jobs, with a result for each. */
export const maxListedJobs = 5000;

const idList = z.array(z.string().min(1).max(64)).min(1).max(maxListedJobs);

const named = {
  client: clientRef,
  ids: idList.optional().describe('job_…; jobs of other clients are not found'),
  idempotencyKeys: z
    .array(jobKey)
    .min(1)
    .max(maxListedJobs)
    .optional()
    .describe('Alternative to ids: the idempotency keys of the jobs'),
};

interface NamedJobs {
  ids?: readonly string[] | undefined;
  idempotencyKeys?: readonly string[] | undefined;
}

const saysOneList = ({ ids, idempotencyKeys }: NamedJobs) => (ids === undefined) !== (idempotencyKeys === undefined);
const oneList = { path: ['ids'], error: 'is missing: give either ids or idempotencyKeys' };

const notOneList = notExactlyOne('ids', 'idempotencyKeys');

const example = { client: 'shop', idempotencyKeys: ['order-17'] };

export const listedJobs = z
  .strictObject(named)
  .refine(saysOneList, oneList)
  .meta({ ...forbids(...notOneList), id: 'ListedJobs', examples: [example] });

export const jobsToMove = z
  .strictObject({ ...named, ...dueFields })
  .refine(saysOneList, oneList)
  .superRefine(checkTimes)
  .refine(hasTime, needsTime)
  .meta({
    ...timeRules,
    ...forbids(...notOneList, ...severalTimes, withoutTime),
    id: 'JobsToReschedule',
    examples: [{ ...example, dueAt: '2026-12-01T09:00:00+08:00' }],
  });

export const jobsToResend = z
  .strictObject({ ...named, ...dueFields })
  .refine(saysOneList, oneList)
  .superRefine(checkTimes)
  .meta({ ...timeRules, ...forbids(...notOneList, ...severalTimes), id: 'JobsToResend', examples: [example] });

const item = {
  id: z.string().describe('Id from the request, or the id found for the key'),
  idempotencyKey: z.string().optional().describe('Present if the request named the job by its key'),
};

const inOrder = 'One result for each job, in the order of the list';

export const cancelledJobs = z
  .object({
    cancelled: z.int(),
    results: z.array(z.object({ ...item, result: z.enum([...cancelAnswers, 'not-found']) })).describe(inOrder),
  })
  .meta({ id: 'CancelledJobs' });

export const movedJobs = z
  .object({
    rescheduled: z.int(),
    results: z
      .array(z.object({ ...item, result: z.enum(['rescheduled', 'too-late', 'not-found']) }))
      .describe(`${inOrder}; too-late: the job is being called or has ended`),
  })
  .meta({ id: 'RescheduledJobs' });

export const foundJobs = z
  .object({
    found: z.int(),
    results: z.array(z.object({ ...item, job: jobSummary.nullable() })).describe(`${inOrder}; null: not found`),
  })
  .meta({ id: 'FoundJobs' });

/**
 * Results of resending a job. `not-ended`: a call is still to come. `body-not-kept`: the client's settings do not keep
 * bodies. `quota-exceeded`, `too-many-jobs`: a limit of the client is reached, as for accepted jobs.
 */
export const resendResults = [
  ...(['sent', 'not-ended', 'not-found', 'body-not-kept'] as const),
  ...(['quota-exceeded', 'too-many-jobs'] as const),
] as const;

export type ResendResult = (typeof resendResults)[number];

export const resentJobs = z
  .object({
    sent: z.int(),
    results: z
      .array(
        z.object({
          ...item,
          result: z.enum(resendResults),
          jobId: z.string().nullable().describe('The new job; its field repeats names the job that it sends again'),
        }),
      )
      .describe(inOrder),
  })
  .meta({ id: 'ResentJobs' });
