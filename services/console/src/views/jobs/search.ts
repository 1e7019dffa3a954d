import * as z from 'zod/mini';

export const jobStates = [
  'pending',
  'waiting',
  'firing',
  'reporting',
  'sidelined',
  'called',
  'expired',
  'cancelled',
  'dead',
] as const;

export const jobPriorities = ['high', 'normal', 'low'] as const;

/**
 * Filters for the due time, relative to the current time. For ended jobs, the filters apply to the time when they were
 * due.
 */
export const dueSpans = [
  'until now',
  'next hour',
  'next day',
  'next week',
  'last hour',
  'last day',
  'last week',
] as const;

export const jobsSearch = z.object({
  /** State of the jobs. Default: pending jobs and jobs that are being called. */
  state: z.catch(z.optional(z.enum(jobStates)), undefined),
  /** Name or id of the client. */
  client: z.catch(z.optional(z.string()), undefined),
  tag: z.catch(z.optional(z.string()), undefined),
  endpoint: z.catch(z.optional(z.string()), undefined),
  key: z.catch(z.optional(z.string()), undefined),
  priority: z.catch(z.optional(z.enum(jobPriorities)), undefined),
  due: z.catch(z.optional(z.enum(dueSpans)), undefined),
  /** Id of a job, or the job's idempotency key within the client. */
  name: z.catch(z.optional(z.string()), undefined),
  cursor: z.catch(z.optional(z.string()), undefined),
});

export type JobsSearch = z.infer<typeof jobsSearch>;
